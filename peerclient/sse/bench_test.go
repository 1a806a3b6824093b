package sse

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"
)

func benchmark(b *testing.B, one string, count int) {
	b.Helper()
	body := []byte(strings.Repeat(one, count))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		end, err := Read(bytes.NewReader(body), Options{}, func(Frame) error { return nil })
		if err != nil || end.Events != count {
			b.Fatalf("%d events, %v", end.Events, err)
		}
	}
	b.ReportMetric(float64(count)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkLF200B(b *testing.B) { benchmark(b, "data: "+strings.Repeat("x", 192)+"\n\n", 20_000) }
func BenchmarkCRLF200B(b *testing.B) {
	benchmark(b, "data: "+strings.Repeat("x", 190)+"\r\n\r\n", 20_000)
}
func BenchmarkTiny(b *testing.B) { benchmark(b, "data: x\n\n", 20_000) }
func BenchmarkDocuments(b *testing.B) {
	benchmark(b, `{"a":"`+strings.Repeat("x", 191)+"\"}\n", 20_000)
}
func BenchmarkHuge(b *testing.B)      { benchmark(b, "data: "+strings.Repeat("x", 50<<20)+"\n\n", 1) }
func BenchmarkManyLines(b *testing.B) { benchmark(b, strings.Repeat("data: abc\n", 20_000)+"\n", 1) }

func BenchmarkOneByteReads(b *testing.B) {
	body := []byte("data: " + strings.Repeat("x", 128<<10) + "\n\n")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := Read(iotest.OneByteReader(bytes.NewReader(body)), Options{}, func(Frame) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDisagrees(b *testing.B) {
	body := []byte(strings.Repeat("data: "+strings.Repeat("x", 192)+"\n\n", 20_000))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if how, ok := Disagrees(body); ok {
			b.Fatal(how)
		}
	}
}
