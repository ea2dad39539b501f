//go:build !race

package page_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/fctl-dev/fctl"
)

// TestMain is fctl for the servers that the tests start, and for the workers of these.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(fctl.Main())
	}
	m.Run()
}

// serve starts fctl serve in a directory, and returns its address.
func serve(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"serve", "--address=127.0.0.1:0"}, flags...)...)
	cmd.Dir = dir
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has perhaps ended
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("it says %q, %v", line, err)
	}
	return address
}

// command is fctl with words, in a directory.
func command(t *testing.T, dir string, words ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], words...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("fctl %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// The browser is started once: that takes longer than a test.
var browser = sync.OnceValues(func() (context.Context, string) {
	for _, name := range []string{"chromium", "google-chrome", "chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, _ := chromedp.NewExecAllocator(context.Background(), append(
			slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
			chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-component-update", true),
		)...)
		ctx, _ = chromedp.NewContext(ctx)
		if err := chromedp.Do(ctx); err != nil {
			return nil, path + ": " + err.Error()
		}
		return ctx, ""
	}
	return nil, "Chromium is not installed"
})

// tab is a page in the browser.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the browser complains about
	asked    []string // the addresses that the page asks for
}

// newTab makes a page that has nothing yet. What the browser complains about fails the test, except
// for answers that are not 2xx.
func newTab(t *testing.T) *tab {
	t.Helper()
	started, missing := browser()
	if started == nil {
		t.Skip(missing)
	}
	ctx, cancel := chromedp.NewContext(started, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	v := &tab{T: t, ctx: ctx}
	err := chromedp.Listen(ctx, func(event any) {
		v.mu.Lock()
		defer v.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			v.problems = append(v.problems, fmt.Sprintf("%+v", e.ExceptionDetails))
		case *log.EventEntryAdded:
			if !strings.HasPrefix(e.Entry.Text, "Failed to load resource: the server responded") {
				v.problems = append(v.problems, e.Entry.Text+" "+e.Entry.URL)
			}
		case *network.EventRequestWillBeSent:
			v.asked = append(v.asked, e.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	v.do(call(log.Enable, cdp.Empty{}), call(network.Enable, network.EnableParams{}))
	return v
}

// open opens the page of a server.
func (v *tab) open(address string) {
	v.Helper()
	v.do(chromedp.Navigate(address))
	v.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, problem := range v.problems {
			v.Errorf("the browser says: %s", problem)
		}
		for _, asked := range v.asked {
			own := strings.HasPrefix(asked, address+"/")
			if !own && !strings.HasPrefix(asked, "blob:") && !strings.HasPrefix(asked, "data:") {
				v.Errorf("the page asks for %s", asked)
			}
		}
	})
}

// look opens the page of a server with its first example.
func look(t *testing.T, address string) *tab {
	t.Helper()
	v := newTab(t)
	v.open(address)
	v.has("#chain h3", "set-replicas")
	return v
}

// call makes an action of a command of the browser.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

func (v *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	v.Helper()
	if err := chromedp.Do(v.ctx, actions...); err != nil {
		v.Fatal(err)
	}
}

// all selects the text of the element that has the focus.
var all = chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl))

// click clicks on the first element of a selector.
func (v *tab) click(selector string) {
	v.Helper()
	quoted, err := json.Marshal(selector)
	if err != nil {
		v.Fatal(err)
	}
	v.clickOn(`document.querySelector(` + string(quoted) + `)`)
}

// clickOn clicks on the element of an expression, when it is there, is enabled, and a mouse would reach
// it. The page is asked and clicked in one step: a list that arrives between two steps would move another
// element to the place that was found.
func (v *tab) clickOn(expression string) {
	v.Helper()
	value[bool](v, `(async () => {
		for (;;) {
			const e = `+expression+`;
			e?.scrollIntoView({block: "nearest"});
			const {x, y, width, height} = e?.getBoundingClientRect() ?? {};
			if (!e?.disabled && e?.contains(document.elementFromPoint(x + width/2, y + height/2))) {
				e.focus();
				e.click();
				return true;
			}
			await new Promise(requestAnimationFrame);
		}
	})()`)
}

// keys types into an element, in place of what is in it.
func (v *tab) keys(selector, keys string) {
	v.Helper()
	v.do(chromedp.Focus(chromedp.CSS(selector)), all, chromedp.KeyEvent(keys))
}

// value returns the value of an expression of JavaScript, which may be a promise.
func value[T any](v *tab, expression string) T {
	v.Helper()
	result, err := chromedp.Run(v.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		v.Fatal(err)
	}
	return result
}

// js runs JavaScript.
func (v *tab) js(statements string) {
	v.Helper()
	value[bool](v, "{"+statements+"\n}; true")
}

// text returns the text of elements.
func (v *tab) text(selector string) string {
	v.Helper()
	quoted, err := json.Marshal(selector)
	if err != nil {
		v.Fatal(err)
	}
	return value[string](v, `[...document.querySelectorAll(`+string(quoted)+`)].map(e => e.textContent).join("\n")`)
}

// has waits until elements have a text.
func (v *tab) has(selector, want string) {
	v.Helper()
	got := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if got = v.text(selector); strings.Contains(got, want) {
			return
		}
	}
	v.Fatalf("%s has %q, %q is expected", selector, got, want)
}

// run runs the chain, and waits for its end.
func (v *tab) run() {
	v.Helper()
	v.click("#run")
	v.has("#status", ":")
}

// choose chooses something of a list.
func (v *tab) choose(list, title string) {
	v.Helper()
	v.js(`
		const list = document.querySelector("` + list + `");
		list.value = [...list.options].find(o => o.textContent === "` + title + `").value;
		list.dispatchEvent(new Event("change", {bubbles: true}));`)
}

// edit replaces the text of the editor.
func (v *tab) edit(text string) {
	v.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		v.Fatal(err)
	}
	v.do(chromedp.Focus(chromedp.CSS("#editor .cm-content")), all)
	v.js(`const pasted = new DataTransfer();
		pasted.setData("text/plain", ` + string(quoted) + `);
		document.querySelector("#editor .cm-content").dispatchEvent(
			new ClipboardEvent("paste", {clipboardData: pasted, bubbles: true, cancelable: true}));`)
}

func TestMainJob(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	v.has("#command", "fctl do deployment.yaml set-replicas 5 then set-container-image web nginx:1.28")
	v.has("#chain-file", "- function: set-replicas\n  arguments:\n    replicas: 5\n")
	v.run()
	v.has("#status", "Done: the configuration changed.")
	v.has("#tabs button", "Difference\nMutations (2)")
	v.has("#view .cm-deletedChunk", "replicas: 2 # one per zone")
	v.has("#view .cm-changedLine", "replicas: 5 # one per zone")
	v.click("#tab-1")
	v.has("#view tbody tr", "spec.replicasUpdate5set-replicas")
	v.do(chromedp.KeyEvent(kb.ArrowRight))
	v.has("#view .cm-content", "image: nginx:1.28   # the same as in staging")
	v.edit("a: 1\n")
	v.has("#status", "Changed since the last run")
	v.has(".old #view .cm-content", "image: nginx:1.28")
}

func TestFindings(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	v.choose("#example", "Find mistakes")
	v.has("#chain h3", "vet-references")
	v.run()
	v.has("#status", "nothing changed")
	v.has("#view .findings", "remove the quotes")
	v.clickOn(`[...document.querySelectorAll("#view .findings li")]
		.find(e => e.textContent.includes("remove the quotes"))?.querySelector("button")`)
	v.has("#editor .cm-activeLine", `replicas: "2"`)
	if n := value[int](v, `document.querySelectorAll("#editor .cm-lintRange-error").length`); n < 3 {
		t.Errorf("%d errors are marked", n)
	}
	// What cannot be read is shown at its line, too.
	v.edit("a: 1\nb: [\n")
	v.run()
	v.has("#status", "Failed")
	v.has("#view .findings", "line 2unclosed [")
}

// TestKeyboard uses the page without a mouse.
func TestKeyboard(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	v.choose("#example", "Read values")
	v.has("#chain h3", "get-container-image")
	v.keys("#find", "set-label"+kb.Enter)
	v.has("#chain h3", "set-label")
	v.has("#count", "functions")
	v.do(chromedp.KeyEvent("tier" + kb.Tab + "batch"))
	v.has("#command", "then set-label tier batch")
	v.do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	v.has("#status", "Done: the configuration changed.")
	v.has("#view .cm-changedLine", "tier: batch")
	// Remove the first step, and search for a function that does not exist.
	v.do(chromedp.Focus(chromedp.CSS(`[aria-label="Remove: get-container-image"]`)), chromedp.KeyEvent(kb.Enter))
	v.has("#command", "fctl do jobs.yaml set-label tier batch")
	v.keys("#find", "zzz")
	v.has("#count", "0 of ")
}

// TestMistakes has words that the page refuses, and some that only the server does.
func TestMistakes(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	v.keys("#field-1", "many")
	v.has(".field .problem", "an integer is expected")
	v.run()
	v.has("#status", "Not run: set-replicas, replicas: an integer is expected.")
	v.keys("#field-1", "cel:nothing")
	v.run()
	v.has("#status", "Failed")
	v.has("#view .findings", "nothing is not known")
	v.choose("#toolchain", "OpenTofu/HCL")
	v.has("#empty:not([hidden])", "The chain is empty")
	v.run()
	v.has("#status", "Not run: add a function first.")
}

// TestTextIsText has a document that wants to be a part of the page.
func TestTextIsText(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	evil := `<img src=x onerror=alert(1)><script>alert(1)</script>`
	v.edit("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: '" + evil + "'\n")
	for range 2 {
		v.click(`#chain [title="Remove"]`)
	}
	v.keys("#find", "get-path"+kb.Enter)
	v.do(chromedp.KeyEvent("data"))
	v.run()
	v.has("#view", evil)
	if n := value[int](v, `document.querySelectorAll("main img, main script").length`); n != 0 {
		t.Errorf("%d elements", n)
	}
}

// TestTextsOfTheChain runs the command and the file that the page prints. Both do what the page does.
func TestTextsOfTheChain(t *testing.T) {
	dir := t.TempDir()
	v := look(t, serve(t, dir))
	const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	if err := os.WriteFile(dir+"/a.yaml", []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Args[0], dir+"/fctl"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		function string
		words    []string
		where    string
	}{
		{"set-annotation", []string{"a", "it's $HOME `x` \"y\" \\ #z"}, ""},
		{"set-annotation", []string{"a", "then"}, ""},
		{"set-annotation", []string{"a", "-x"}, ""},
		{"set-annotation", []string{"a", "--"}, ""},
		{"set-annotation", []string{"a", "text:then"}, ""},
		{"set-annotation", []string{"a", "text:cel:x"}, ""},
		{"set-annotation", []string{"a", "template:{{.UnitSlug}}-x"}, ""},
		{"set-annotation", []string{"a", `cel:functionContext.UnitSlug + "x"`}, ""},
		{"set-annotation", []string{"a", "1.10"}, ""},
		{"set-annotation", []string{"a", "0o17"}, ""},
		{"set-annotation", []string{"a", "No"}, ""},
		{"set-annotation", []string{"a", "null"}, ""},
		{"set-annotation", []string{"a", "~"}, ""},
		{"set-annotation", []string{"a", "1\n 2: é\u2028😀"}, ""},
		{"set-annotation", []string{"a", "{b: c}"}, ""},
		{"set-annotation", []string{"a", "x"}, "ConfigHub.ResourceType = 'v1/Service'"},
		{"set-annotation", []string{"a", "x"}, "ConfigHub.ResourceType = 'v1/ConfigMap'"},
		{"delete-label", []string{"a", "b"}, ""},
	} {
		given, err := json.Marshal(map[string]any{"words": c.words, "where": c.where, "text": manifest})
		if err != nil {
			t.Fatal(err)
		}
		texts := value[struct{ Command, File, Text string }](v, `(async () => {
			const {words, where, text} = `+string(given)+`;
			const c = await import("/page/chain.js"), s = await import("/page/server.js");
			const signature = (await s.signatures("kubernetes"))["`+c.function+`"];
			const chain = [{...c.step(signature, words), where}];
			const answer = await s.run("kubernetes", {file: "a.yaml", text, invocations: c.invocations(chain)});
			if (!answer.Success) throw new Error(answer.ErrorMessages);
			return {Command: c.command(chain, "a.yaml", ""),
				File: c.chainFile(chain), Text: answer.text};
		})()`)
		if err := os.WriteFile(dir+"/chain.yaml", []byte(texts.File), 0o600); err != nil {
			t.Fatal(err)
		}
		shell := exec.Command("sh", "-c", texts.Command)
		shell.Dir = dir
		shell.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
		out, err := shell.Output()
		if err != nil || string(out) != texts.Text {
			t.Errorf("%s: %v\n%s\nthe page has\n%s", texts.Command, err, out, texts.Text)
		}
		if got := command(t, dir, "doseq", "-q", "a.yaml", "file:chain.yaml"); got != texts.Text {
			t.Errorf("%s\n%s\nthe page has\n%s", texts.File, got, texts.Text)
		}
	}
}

// TestToken has a server that only those with a token may use.
func TestToken(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/token", []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := newTab(t)
	v.open(serve(t, dir, "--token-file=token"))
	v.do(chromedp.WaitVisible(chromedp.CSS("#login")))
	v.keys("#token", "wrong"+kb.Enter)
	v.has("#login-problem", "the token of the server is missing or wrong")
	v.keys("#token", "secret"+kb.Enter)
	v.do(chromedp.WaitNotVisible(chromedp.CSS("#login")))
	v.has("#chain h3", "set-replicas")
	v.run()
	v.has("#status", "Done")
}

// TestWorkspace has the links of the directory in which the server was started. Secrets stay secret.
func TestWorkspace(t *testing.T) {
	dir := t.TempDir()
	web := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1'}\n---\n" +
		"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: hunter1}\n"
	change := strings.NewReplacer("'1'", "'2'", "hunter1", "hunter2")
	for name, text := range map[string]string{"a.yaml": web, "b.yaml": change.Replace(web)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, "workspace", "init", "--space", "base")
	command(t, dir, "unit", "create", "web", "a.yaml")
	command(t, dir, "unit", "create", "web", "--space", "prod", "--create-space", "--upstream-space", "base", "--upstream-unit", "web")
	command(t, dir, "unit", "update", "web", "b.yaml", "--space", "base")
	v := look(t, serve(t, dir))
	v.has("#plan", "base/web 1..2 -> prod/web 1")
	v.has("#plan", "data.x: '1' -> '2'")
	if plan := v.text("#plan"); strings.Contains(plan, "hunter") || !strings.Contains(plan, "(sensitive)") {
		t.Error(plan)
	}
	if width := value[int](v, `document.querySelector("#graph").decode().then(() => document.querySelector("#graph").naturalWidth)`); width < 50 {
		t.Errorf("the picture is %d wide", width)
	}
	command(t, dir, "link", "resolve", "upgrade-web", "--space", "prod")
	v.click("#look")
	v.has("#plan", "Nothing would change.")
}

// sent records the requests of the page, and keeps the answers of runs until window.until comes.
const sent = `const ask = window.fetch;
	window.sent = [];
	window.until = null;
	window.fetch = async (address, options) => {
		if (options?.body) window.sent.push(JSON.parse(options.body));
		const answer = await ask(address, options);
		if (options?.body) await window.until;
		return answer;
	};`

// TestFilesKeepTheirBytes opens files: the page sends their exact bytes.
func TestFilesKeepTheirBytes(t *testing.T) {
	dir := t.TempDir()
	v := look(t, serve(t, dir))
	v.js(sent)
	const text = "# é 😀\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n\tx: 1\n"
	for name, want := range map[string]string{
		"lf.yaml": text, "crlf.yaml": strings.ReplaceAll(text, "\n", "\r\n"), "none.yaml": strings.TrimSuffix(text, "\n"),
		"bom.yaml": "\ufeff" + text, "mixed.yaml": strings.Replace(text, "\n", "\r\n", 2), "cr.yaml": "a: 1 # \r x\nb: 2\r\n",
		"empty.yaml": "", "latin1.yaml": "",
	} {
		path := filepath.Join(dir, name)
		content := want
		if name == "latin1.yaml" {
			content = "a: \xe9\n"
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		v.js(`window.sent = []`)
		v.do(chromedp.SetUploadFiles(chromedp.CSS("#open"), []string{path}))
		if name == "latin1.yaml" {
			v.has("#status", "Failed: latin1.yaml is not text in UTF-8.")
			continue
		}
		v.has("#command", name)
		v.run()
		got := value[string](v, `new TextDecoder("utf-8", {ignoreBOM: true}).decode(Uint8Array.from(atob(window.sent[0].ConfigData), (c) => c.charCodeAt(0)))`)
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestOneAfterTheOther has results that come late, formats that come back, and another token.
func TestOneAfterTheOther(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/token", []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := newTab(t)
	v.open(serve(t, dir, "--token-file=token"))
	v.do(chromedp.WaitVisible(chromedp.CSS("#login")))
	v.keys("#token", "one"+kb.Enter)
	v.has("#chain h3", "set-replicas")
	v.js(sent)
	v.js(`window.until = new Promise((done) => window.release = done)`)
	v.click("#run")
	v.has("#status", "Running")
	v.choose("#example", "Change a .env file")
	v.has("#command", "fctl do settings.env set-path LOG_LEVEL debug")
	v.js(`window.release()`)
	time.Sleep(time.Second)
	v.has("#status", "Nothing has run yet.")

	// The chain of a format comes back with it.
	v.choose("#toolchain", "OpenTofu/HCL")
	v.has("#command", "fctl do --toolchain=OpenTofu/HCL settings.env set-path LOG_LEVEL debug")
	v.choose("#toolchain", "Kubernetes/YAML")
	v.has("#chain h3", "set-container-image")
	v.choose("#toolchain", "AppConfig/Env")
	v.has("#command", "fctl do settings.env set-path LOG_LEVEL debug")

	// A result keeps the names of the functions that ran.
	v.run()
	v.has("#tabs button", "Mutations (1)")
	v.click(`[title="Remove"]`)
	v.click("#tab-1")
	v.has("#view tbody tr", "set-path")

	// A new token loses nothing.
	v.keys("#find", "get-path"+kb.Enter)
	v.do(chromedp.KeyEvent("LOG_LEVEL"))
	if err := os.WriteFile(dir+"/token", []byte("two\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1200 * time.Millisecond) // files are read again after a second
	v.click("#run")
	v.do(chromedp.WaitVisible(chromedp.CSS("#login")))
	v.keys("#token", "two"+kb.Enter)
	v.do(chromedp.WaitNotVisible(chromedp.CSS("#login")))
	v.run()
	v.has("#view tbody tr", "LOG_LEVEL")
	v.has("#command", "fctl do settings.env get-path LOG_LEVEL")
}

// focused is what has the focus.
const focused = `document.activeElement.ariaLabel || document.activeElement.name || document.activeElement.tagName`

// TestFocus has the focus after what was used has gone, and values that are wrong.
func TestFocus(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	use := func(label, want, status string) {
		t.Helper()
		v.do(chromedp.Focus(chromedp.CSS(`[aria-label="`+label+`"]`)), chromedp.KeyEvent(kb.Enter))
		v.has("#status", status)
		if got := value[string](v, focused); got != want {
			t.Errorf("%s: the focus is on %s, want %s", label, got, want)
		}
	}
	use("Move down: set-replicas", "Move up: set-replicas", "set-replicas is step 2 of 2.")
	use("Move up: set-replicas", "Move down: set-replicas", "set-replicas is step 1 of 2.")
	use("Remove: set-replicas", "Remove: set-container-image", "Removed set-replicas.")
	use("Remove: set-container-image", "INPUT", "Removed set-container-image.")
	v.keys("#find", "get-placeholders"+kb.Enter)
	v.has("#chain h3", "get-placeholders")
	v.keys("#find", "set-annotation"+kb.Enter)
	v.run()
	v.has("#status", "Not run: set-annotation, annotation-key: a value is missing")
	if got := value[string](v, `document.activeElement.name + " " + document.activeElement.ariaInvalid`); got != "annotation-key true" {
		t.Error(got)
	}
}

// TestNames has what a screen reader says: everything that can be used has a name.
func TestNames(t *testing.T) {
	v := look(t, serve(t, t.TempDir()))
	v.run()
	v.has("#status", "Done")
	unnamed := value[[]string](v, `[...document.querySelectorAll("button, input, select, textarea, [role=tab], [role=textbox], section")]
		.filter(e => e.checkVisibility() && !(e.ariaLabel || e.getAttribute("aria-labelledby") || e.labels?.length ||
			(e.tagName === "BUTTON" && e.textContent.trim())))
		.map(e => e.outerHTML.slice(0, 120))`)
	for _, element := range unnamed {
		t.Errorf("%s has no name", element)
	}
	if n := value[int](v, `[...document.querySelectorAll("#chain input")].filter(e =>
		getComputedStyle(e).borderColor === getComputedStyle(document.querySelector("#login-problem")).color).length`); n != 0 {
		t.Errorf("%d fields without mistakes look wrong", n)
	}
	if headings := value[string](v, `[...document.querySelectorAll("h1, h2")].filter(e => e.checkVisibility()).map(e => e.textContent).join()`); headings != "fctl,Configuration,Chain,Result" {
		t.Errorf("the headings are %s", headings)
	}
}

// TestLooks has the page in all sizes and colours: nothing is wider than the window, and texts have
// the contrast that WCAG 2.2 asks for, 4.5. Pictures are written to $SCREENSHOTS if that is set.
func TestLooks(t *testing.T) {
	address := serve(t, t.TempDir())
	for _, scheme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"narrow": 320, "middle": 1100, "wide": 1800} {
			t.Run(scheme+"/"+name, func(t *testing.T) {
				v := newTab(t)
				v.do(chromedp.EmulateViewport(width, 900), call(emulation.SetEmulatedMedia,
					emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
						{Name: "prefers-color-scheme", Value: scheme},
					}}))
				v.open(address)
				v.has("#chain h3", "set-replicas")
				v.do(chromedp.Focus(chromedp.CSS("#editor .cm-content")), chromedp.KeyEvent("f", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
				for _, example := range []string{"Find mistakes", "Move images to a mirror", "Scale a Deployment", "Read values"} {
					v.choose("#example", example)
					v.has("#status", "Nothing has run yet.")
					v.run()
					v.has("#tabs", "Configuration")
					if wide := value[string](v, `[...document.querySelectorAll("#view .scroll")].filter(e => e.scrollWidth > e.clientWidth).map(e => e.scrollWidth).join()`); wide != "" {
						t.Errorf("%s: a table is %s wide", example, wide)
					}
					if wide := value[int64](v, `document.scrollingElement.scrollWidth`); wide > width {
						t.Errorf("%s: the page is %d wide", example, wide)
					}
					if tall := value[int](v, `[...document.querySelectorAll("td button")].filter(e => e.offsetHeight > 40).length`); tall > 0 {
						t.Errorf("%s: %d buttons have more than a line", example, tall)
					}
					for _, pale := range value[[]string](v, contrast) {
						t.Errorf("%s: %s", example, pale)
					}
					if dir := os.Getenv("SCREENSHOTS"); dir != "" {
						picture, err := chromedp.Run(v.ctx, chromedp.FullScreenshot(100))
						if err != nil {
							t.Fatal(err)
						}
						file := filepath.Join(dir, strings.ToLower(scheme+"-"+name+"-"+example[:4])+".png")
						if err := os.WriteFile(file, picture, 0o600); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	}
}

// contrast lists texts that are hard to read (https://www.w3.org/TR/WCAG22/#contrast-minimum).
const contrast = `(() => {
	const rgb = text => (text.match(/[\d.]+/g) ?? []).map(Number);
	const light = c => {
		const [r, g, b] = c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b;
	};
	const under = e => {
		for (; e; e = e.parentElement) {
			if (getComputedStyle(e).backgroundImage !== "none" && !e.className.includes("lintRange")) return [128, 128, 128];
			const c = rgb(getComputedStyle(e).backgroundColor);
			if (c.length === 3) return c;
		}
		return [255, 255, 255];
	};
	const pale = new Set();
	for (const e of document.querySelectorAll("input, select, textarea")) {
		const [a, b] = [light(rgb(getComputedStyle(e).color).slice(0, 3)), light(under(e))];
		if (e.checkVisibility() && (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5) pale.add(e.outerHTML.slice(0, 80));
	}
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; n = texts.nextNode();) {
		const e = n.parentElement, style = getComputedStyle(e);
		if (!n.data.trim() || !e.checkVisibility() || e.closest(":disabled, option, noscript")) continue;
		const [a, b] = [light(rgb(style.color).slice(0, 3)), light(under(e))];
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) pale.add(e.tagName + "." + e.className + " " + style.color + " has " + ratio.toFixed(1));
	}
	return [...pale];
})()`
