package a2a

import "testing"

func TestEventData(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, raw, want string
		none            bool
	}{
		{name: "one line", raw: "data: {\"a\":1}\n\n", want: `{"a":1}`},
		{name: "no blank", raw: "data:{}\n\n", want: "{}"},
		{name: "CRLF", raw: "id: 7\r\ndata: x\r\n\r\n", want: "x"},
		{name: "CR", raw: "data: x\rdata: y\r\r", want: "x\ny"},
		{name: "many lines", raw: "event: a\ndata: {\ndata: }\n\n", want: "{\n}"},
		{name: "byte order mark", raw: "\xef\xbb\xbfdata: x\n\n", want: "x"},
		{name: "empty data", raw: "data\n\n", want: ""},
		{name: "unterminated", raw: "data: x", want: "x"},
		{name: "comment", raw: ": data: x\n\n", none: true},
		{name: "only an id", raw: "id: 3\n\n", none: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := EventData([]byte(tc.raw))
			if string(got) != tc.want || (got == nil) != tc.none {
				t.Errorf("EventData(%q) = %q (nil: %v), want %q (nil: %v)", tc.raw, got, got == nil, tc.want, tc.none)
			}
		})
	}
}
