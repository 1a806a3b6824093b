package rule_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"a2ascope/history/export"
	"a2ascope/session"
	"a2ascope/session/a2a"
)

var updateRecordings = flag.Bool("update-recordings", false, "write testdata/recordings.golden anew")

// recorded is one exchange with an official SDK's server, as the recorder
// noted it; the answer's bytes lie beside the decoder's tests. Times are in
// seconds from the request on.
type recorded struct {
	Step    string    `json:"step"`
	Ended   string    `json:"ended"` // complete, timeout (ours), server closed
	Took    float64   `json:"took"`
	Request string    `json:"request"`
	Head    int       `json:"head"`
	Method  string    `json:"method"`
	RPC     int64     `json:"rpc"`
	Task    string    `json:"task"`
	Context string    `json:"context"`
	Message string    `json:"message"`
	Text    string    `json:"text"`
	Modes   []string  `json:"modes"`
	Arrived []float64 `json:"arrived"` // of each event

	raw []byte // of the answer
}

// dialects are what the folders were recorded in.
var dialects = map[string]struct {
	binding a2a.Binding
	gen     a2a.Generation
}{
	"go-v0":                  {a2a.JSONRPC, a2a.Gen03},
	"go-v2-compat03-jsonrpc": {a2a.JSONRPC, a2a.Gen03},
	"go-v2-jsonrpc":          {a2a.JSONRPC, a2a.Gen10},
	"go-v2-rest":             {a2a.REST, a2a.Gen10},
	"js-v03-jsonrpc":         {a2a.JSONRPC, a2a.Gen03},
	"js-v03-rest":            {a2a.REST, a2a.Gen03},
	"js-v1-jsonrpc":          {a2a.JSONRPC, a2a.Gen10},
	"js-v1-rest":             {a2a.REST, a2a.Gen10},
	"py03":                   {a2a.JSONRPC, a2a.Gen03},
	"py1-jsonrpc":            {a2a.JSONRPC, a2a.Gen10},
	"py1-rest":               {a2a.REST, a2a.Gen10},
}

// defences prove, by the specification, the contradictions that the recorded
// servers are charged with: folder and rule, then the clause. What is not here
// must not be found.
var defences = map[string]string{
	// The agent's own card lists text/plain alone, and a part of its artifact
	// names application/json.
	"js-v1-jsonrpc modes.output-undeclared": outputModes,
	"js-v1-rest modes.output-undeclared":    outputModes,
}

const outputModes = `A2A 1.0 §4.4.1 default_output_modes: "The media types supported as outputs from this agent"; §4.1.6 media_type`

// mustHonour is what every recorded server is seen to do.
var mustHonour = []session.Claim{session.CardValid, session.Streaming, session.ResumeSameTask, session.InputModes, session.StreamCloses}

// TestRecordings judges what official SDK servers were recorded to do, with
// the default policy. All they are charged with stands in the golden file.
func TestRecordings(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	folders := make([]string, 0, len(dialects))
	for f := range dialects {
		folders = append(folders, f)
	}
	slices.Sort(folders)
	used := map[string]bool{}
	for _, folder := range folders {
		p := newPlayback(folder)
		for _, r := range readRecordings(t, folder) {
			p.exchange(r)
		}
		p.end()
		p.check(t)
		p.carried(t)
		for _, f := range p.state.Findings {
			why := f.Source
			if f.Severity.Contradicts() {
				key := folder + " " + f.Rule
				if why = defences[key]; why == "" {
					t.Errorf("%s is charged with %s (%s) at %s, and nothing defends it: %s", folder, f.Rule, f.Claim, p.stepsOf(f.Evidence), f.Detail)
				}
				used[key] = true
			}
			fmt.Fprintf(&out, "%s | %s | %s | %s | %s | %s\n", folder, f.Rule, f.Severity, p.stepsOf(f.Evidence), f.Detail, why)
		}
	}
	for key := range defences {
		if !used[key] {
			t.Errorf("%s is defended and not found", key)
		}
	}
	compareGolden(t, filepath.Join("testdata", "recordings.golden"), out.Bytes())
}

// carried checks that the log says the same once it was written as jsonl and
// read back.
func (p *playback) carried(t *testing.T) {
	t.Helper()
	var file bytes.Buffer
	if err := export.JSONL(&file, func(from uint64, n int) ([]session.Record, error) {
		rest := p.log[min(from-1, uint64(len(p.log))):]
		return rest[:min(n, len(rest))], nil
	}); err != nil {
		t.Fatal(err)
	}
	s := session.NewState()
	got, err := export.ReadJSONL(&file, func(r session.Record) error {
		session.Fold(s, &r)
		return nil
	})
	if err != nil || !got.Whole || got.Head != p.state.Head {
		t.Fatalf("%s: reading back: %+v %v", p.folder, got, err)
	}
	was, err := json.Marshal(session.MakeDocument(p.state, session.ToolDoc{}))
	if err != nil {
		t.Fatal(err)
	}
	now, err := json.Marshal(session.MakeDocument(s, session.ToolDoc{}))
	if err != nil || !bytes.Equal(was, now) {
		t.Errorf("%s: read back, the log says something else: %v\n%s\nwas\n%s", p.folder, err, now, was)
	}
}

func compareGolden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *updateRecordings {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	for line := range strings.Lines(string(got)) {
		if !bytes.Contains(want, []byte(line)) {
			t.Errorf("new: %s", line)
		}
	}
	for line := range strings.Lines(string(want)) {
		if !bytes.Contains(got, []byte(line)) {
			t.Errorf("gone: %s", line)
		}
	}
	t.Error("go test ./session/rule -run TestRecordings -update-recordings writes the file anew; read every line of the change")
}

// check makes sure that the playback was folded as the session that it was.
func (p *playback) check(t *testing.T) {
	t.Helper()
	for _, c := range mustHonour {
		if n := p.state.Counts[c]; n.Verdict() != session.Honoured {
			t.Errorf("%s: %s is %s in the recordings, want honoured", p.folder, c, n.Verdict())
		}
	}
	if p.state.FaultCount > 1 { // one server drops the connection of "stream-error"
		t.Errorf("%s: %d faults", p.folder, p.state.FaultCount)
	}
	if n := len(p.state.Tasks); n < 15 {
		t.Errorf("%s: %d tasks, want at least 15", p.folder, n)
	}
}

func readRecordings(t *testing.T, folder string) []recorded {
	t.Helper()
	notes, err := os.ReadFile(filepath.Join("testdata", "recordings", folder+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []recorded
	for line := range bytes.Lines(notes) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v in %s", folder, err, line)
		}
		if r.raw, err = os.ReadFile(filepath.Join("..", "a2a", "testdata", "wire", folder, r.Step+".raw")); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}
