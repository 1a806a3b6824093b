package a2a

import "strconv"

// The HTTP statuses that mean something to the domain. They stand here so that
// it needs no network package for their names (RFC 9110 §15).
const (
	StatusOK                = 200
	StatusNoContent         = 204
	StatusMoved             = 301
	StatusFound             = 302
	StatusSeeOther          = 303
	StatusNotModified       = 304
	StatusTemporaryRedirect = 307
	StatusPermanentRedirect = 308
	StatusBadRequest        = 400
	StatusUnauthorized      = 401
	StatusForbidden         = 403
	StatusNotFound          = 404
	StatusMethodRefused     = 405
	StatusTypeUnsupported   = 415
	StatusUnprocessable     = 422
	StatusTooMany           = 429
	StatusNotImplemented    = 501
)

var statusNames = map[int]string{
	200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found", 303: "See Other",
	304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
	403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict",
	410: "Gone", 413: "Content Too Large", 415: "Unsupported Media Type", 421: "Misdirected Request", 422: "Unprocessable Content",
	429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
	503: "Service Unavailable", 504: "Gateway Timeout",
}

// StatusText is a status with its name ("404 Not Found"), or the number alone.
func StatusText(status int) string {
	if name := statusNames[status]; name != "" {
		return strconv.Itoa(status) + " " + name
	}
	return strconv.Itoa(status)
}
