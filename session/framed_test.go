package session

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestFramedAsJSON: the frame's own writer and reader do what encoding/json
// does, byte for byte.
func TestFramedAsJSON(t *testing.T) {
	t.Parallel()
	for _, b := range []Framed{
		{},
		{N: 1, Kind: "event"},
		{N: 12, Off: 1 << 40, Kind: "event", Type: "message", ID: "7", Flags: "bom, crlf", Held: true, Lead: Duration(1500 * time.Microsecond)},
		{N: -1, Off: -5, Kind: "x"},
		{N: 3, Kind: "event", ID: `a"b\c`},
		{N: 3, Kind: "event", ID: "<tag>&"},
		{N: 3, Kind: "event", Type: "näme\u2028"},
		{N: 3, Kind: "event", Type: string([]byte{0xff, 0x00})},
		{N: 3, Kind: "part", Lead: Duration(-time.Second)},
		{N: 3, Kind: "event", ProtoJSON: []byte(`{"a":1}`)},
		{N: 3, Kind: "event", ProtoJSON: []byte{0, 1, 2, 255}, Held: true},
	} {
		want, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := Encode(&b); string(got) != string(want) {
			t.Errorf("written %s, want %s", got, want)
		}
		sameFramed(t, want)
	}
}

func sameFramed(t *testing.T, body []byte) {
	t.Helper()
	var want Framed
	wantErr := json.Unmarshal(body, &want)
	got, err := DecodeFramed(body)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
		t.Errorf("%s is read as %+v (%v), want %+v (%v)", body, got, err, want, wantErr)
	}
}

func FuzzDecodeFramed(f *testing.F) {
	for _, s := range []string{
		`{"n":1,"off":0,"kind":"event"}`, `{"n":01,"off":0,"kind":"event"}`, `{"n":1,"off":0,"kind":"event","lead":"1ms"}`,
		`{"n":1,"off":0,"kind":"event","lead":""}`, `{"n":1,"off":0,"kind":"ev\u0065nt","held":true}`, `{"off":0,"n":1}`, `{"n":1,"off":,"kind":"a"}`,
		`{"n":99999999999999999999,"off":0,"kind":"event"}`, `{"n":1,"off":0,"kind":"event"} `, `{"n":1,"off":0,"kind":"event","held":true,"held":false}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) { sameFramed(t, body) })
}
