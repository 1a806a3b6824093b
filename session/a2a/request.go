package a2a

import "errors"

// DecodeRequestMessage reads the message back out of the body of a send that
// was made earlier, of any generation and binding. Task and context ids that
// 0.1 puts beside the message are filled in.
func DecodeRequestMessage(body []byte) (*Message, error) { return requestMessage(body, false) }

// DecodeRequestWords is DecodeRequestMessage without the bytes of files, which
// may be many.
func DecodeRequestWords(body []byte) (*Message, error) { return requestMessage(body, true) }

func requestMessage(body []byte, wordsOnly bool) (*Message, error) {
	d := decoder{in: Input{Raw: body, Op: OpSend}, s: new(scanner), wordsOnly: wordsOnly}
	d.raw = body
	if len(body) == 0 || !d.read() || d.kind(0) != '{' {
		return nil, errors.New("read the message of a request: the body is no JSON object; it was no send, or it was redacted or pruned")
	}
	i := 0
	if params := d.member(0, kParams); d.kind(params) == '{' {
		d.out.Envelope = true
		i = params
	}
	at := d.either(i, kMessage, kRequest, kMsg)
	if d.kind(at) != '{' {
		return nil, errors.New("read the message of a request: the body holds no message; it was no send")
	}
	d.survey(i)
	m := d.message(at)
	if m.TaskID == "" && d.member(at, kMessageID) < 0 {
		m.TaskID = d.text(i, kID)
	}
	if m.ContextID == "" {
		m.ContextID = d.text(i, kContextID, kSessionID)
	}
	return &m, nil
}
