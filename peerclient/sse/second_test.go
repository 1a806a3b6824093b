package sse

import (
	"strings"
	"testing"
)

func TestDisagrees(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 70<<10)
	tests := []struct{ name, body, want string }{
		{"plain", "data: a\n\n: c\n\ndata: b\ndata: c\n\n", ""},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ""},
		{"CR", "data: a\r\rdata: b\r\r", ""},
		{"nothing", "", ""},
		{"many", strings.Repeat("id: 1\nevent: x\ndata: abc\n\n", 20_000), ""},
		{"byte order mark", "\xef\xbb\xbfdata: a\n\ndata: b\n\n", `common clients misread event 1: "b" instead of "a"`},
		{"byte order mark, one event", "\xef\xbb\xbfdata: a\n\n", `common clients read 0 events instead of 1; the first missing is "a"`},
		{"merged", "data: a\n\rdata: b\n\n", `common clients misread event 1: "a\nb" instead of "a"`},
		{"too long", "data: a\n\ndata: " + big + "\n\ndata: b\n\n", "common clients lose the stream after event 1 of 3: the next one is longer than 64 KiB"},
		{"unterminated", "data: a\n\ndata: {\"b\"", `common clients take the unterminated end of the stream for event 2: "{\"b\""`},
		{"unterminated comment", "data: a\n\n: ping\n", ""},
		{"long events are cut in the sentence", "\xef\xbb\xbfdata: " + strings.Repeat("y", 100) + "\n\n", `common clients read 0 events instead of 1; the first missing is "` + strings.Repeat("y", 60) + `"…`},
		{"control characters are not obeyed", "\xef\xbb\xbfdata: \x1b[2J\u202e\n\n", `common clients read 0 events instead of 1; the first missing is "\x1b[2J\u202e"`},
		{"documents", `{"error":{}}`, "common clients read no events here: the body is JSON, not an event stream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := Disagrees([]byte(tt.body)); got != tt.want || ok != (tt.want != "") {
				t.Errorf("%v %q\nwant %q", ok, got, tt.want)
			}
		})
	}
}
