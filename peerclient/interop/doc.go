// Package interop holds tests alone: the runner walks servers that are built
// on the official SDKs, over real sockets, and no claim of theirs may come out
// contradicted. They are honest peers; an accusation is a bug of ours, or is
// proved from the specification and listed.
package interop
