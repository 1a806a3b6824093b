// Package outside holds tests alone: what others wrote judges the exports. A
// validator and a browser read the HTTP archive, a validator and an
// accessibility checker in a browser read the page. They need Node, npm and,
// for the browser's part, Chromium; without A2ASCOPE_INTEROP=1 nothing here
// runs.
package outside
