package session

// OriginOf returns scheme, host and port of a URL ("https://host:8443"), a
// default port left out: the scope of credentials. It returns "" for what is
// no absolute http or gRPC address; grpc:// is http there.
func OriginOf(raw string) string {
	a, err := readTyped(raw)
	if err != nil {
		return ""
	}
	return a.origin()
}
