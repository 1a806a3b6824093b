package probe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"a2ascope/session"
	"a2ascope/session/a2a"
)

// script joins pieces of a script.
func script(pieces ...[]Line) []Line {
	var out []Line
	for _, p := range pieces {
		out = append(out, p...)
	}
	return out
}

// send begins a task without waiting for its end; follow does it with a
// stream. Where streaming is not declared both are one.
func send(f Facts, s a2a.State) []Line {
	return []Line{Line("send --new --immediate " + word(f.Prompt(s)))}
}

func stream(f Facts, s a2a.State) []Line {
	return []Line{Line("stream --new " + word(f.Prompt(s)))}
}

func follow(f Facts, s a2a.State) []Line {
	if f.streams() {
		return stream(f, s)
	}
	return send(f, s)
}

// until waits for a state, settled and closed for what they say.
func until(f Facts, s a2a.State) []Line {
	return []Line{Line("wait state " + string(s) + " --for " + f.patience().String())}
}

func settled(f Facts) []Line { return []Line{Line("wait settled --for " + f.patience().String())} }

// closed gives the stream its window, and a moment more for the verdict.
func closed(f Facts) []Line {
	return []Line{Line("wait closed --for " + (f.Policy.CloseWindow.D() + time.Second).String())}
}

func pause(d time.Duration) []Line {
	if d <= 0 {
		return nil
	}
	return []Line{Line("wait " + d.String())}
}

func lines(l ...Line) []Line { return l }

// word writes a text so that the command language reads it back as it is.
func word(text string) string {
	plain := text != "" && !strings.HasPrefix(text, "-") && strings.Join(strings.Fields(text), " ") == text &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" .,:;?!+-_/", r))
		})
	if plain && !strings.Contains(text, " -") {
		return text
	}
	return quoted(text)
}

// quoted writes a text as one word.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		default:
			if r < ' ' {
				fmt.Fprintf(&b, `\u%04x`, r)
				continue
			}
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// Raw writes an operation on a task as a call of one's own making, in the
// dialect of an interface. It is empty where that has no such call, or is not
// made of JSON.
func Raw(op a2a.Operation, on session.Interface, taskID string) Line {
	method, body := rawCall(op, on, taskID)
	if method == "" {
		return ""
	}
	if strings.Contains(method, " ") {
		method = quoted(method)
	}
	return Line(strings.TrimSpace("raw " + method + " " + body))
}

func rawCall(op a2a.Operation, on session.Interface, taskID string) (method, body string) {
	r, err := a2a.Encode(op, on.Gen, on.Binding, 1, a2a.Params{TaskID: taskID, Tenant: on.Tenant})
	if err != nil || on.Binding == a2a.GRPC { // not made of JSON
		return "", ""
	}
	if on.Binding == a2a.REST {
		target := r.Path
		if r.Query != "" {
			target += "?" + r.Query
		}
		if len(r.Body) > 0 {
			body = single(string(r.Body))
		}
		return r.HTTPMethod + " " + target, body
	}
	var call struct {
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(r.Body, &call) != nil {
		return "", ""
	}
	return r.RPCMethod, single(string(call.Params))
}

// single puts JSON into single quotes, in which nothing but a quote has a
// meaning; JSON can write that otherwise.
func single(doc string) string { return "'" + strings.ReplaceAll(doc, "'", `\u0027`) + "'" }
