package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// object is a FunctionConfig of a cluster, as JSON has it.
type object map[string]any

// apiServer has the FunctionConfigs of one namespace, and no pods.
type apiServer struct {
	kubeconfig string

	mu      sync.Mutex
	version int
	objects map[string]object
	events  []string
	changed chan struct{} // closed at the next event
	patches int
	noted   []string // the type, reason and message of Events about objects, with the name
}

func startAPIServer(t *testing.T) *apiServer {
	t.Helper()
	a := &apiServer{objects: map[string]object{}, changed: make(chan struct{})}
	server := httptest.NewServer(a)
	t.Cleanup(server.CloseClientConnections) // watches
	t.Cleanup(server.Close)
	a.kubeconfig = filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u}]\n"+
		"clusters: [{name: c, cluster: {server: %q}}]\n", server.URL)
	if err := os.WriteFile(a.kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// set creates an object, or gives it another spec. Each is a second younger than the one before.
func (a *apiServer) set(name, spec string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var fields map[string]any
	if err := json.Unmarshal([]byte(spec), &fields); err != nil {
		panic(err)
	}
	o, kind := a.objects[name], "MODIFIED"
	if o == nil {
		kind, o = "ADDED", object{
			"apiVersion": "config.porch.kpt.dev/v1alpha1", "kind": "FunctionConfig",
			"metadata": map[string]any{
				"name": name, "namespace": "porch-fn-system", "uid": name, "generation": 0,
				"creationTimestamp": time.Unix(int64(len(a.objects)), 0).UTC().Format(time.RFC3339),
			},
		}
		a.objects[name] = o
	}
	meta := o["metadata"].(map[string]any)
	meta["generation"] = meta["generation"].(int) + 1
	o["spec"] = fields
	a.event(kind, o)
}

// event tells the watches of a change. The caller holds the lock.
func (a *apiServer) event(kind string, o object) {
	a.version++
	o["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint(a.version)
	text, _ := json.Marshal(map[string]any{"type": kind, "object": o})
	a.events = append(a.events, string(text))
	close(a.changed)
	a.changed = make(chan struct{})
}

// problem returns the status of an object: the generation that was read, and the error.
func (a *apiServer) problem(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.objects[name]["status"].(map[string]any)
	if !ok {
		return "none"
	}
	text := fmt.Sprint(s["functionRunnerObservedGeneration"])
	if s["error"] != nil {
		text += " " + s["error"].(string)
	}
	return text
}

func (a *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	ours := strings.Contains(r.URL.Path, "/functionconfigs")
	switch query := r.URL.Query(); {
	case r.Method == http.MethodPatch && ours:
		a.patch(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/events"):
		a.tell(w, r)
	case query.Get("sendInitialEvents") != "":
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"Invalid","code":422}`)
	case query.Get("watch") != "":
		a.watch(w, r, ours)
	case ours || strings.HasSuffix(r.URL.Path, "/pods"):
		a.mu.Lock()
		defer a.mu.Unlock()
		items := []object{}
		for _, o := range a.objects {
			if ours {
				items = append(items, o)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": "v1", "kind": "List", "items": items,
			"metadata": map[string]any{"resourceVersion": fmt.Sprint(a.version)},
		})
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"kind":"Status","status":"Failure","reason":"NotFound","code":404}`)
	}
}

// tell keeps an Event about an object.
func (a *apiServer) tell(w http.ResponseWriter, r *http.Request) {
	var event struct {
		Type, Reason, Message string
		InvolvedObject        struct{ Name string }
	}
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	if err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.noted = append(a.noted, fmt.Sprintf("%s %s %s: %s", event.InvolvedObject.Name, event.Type,
		event.Reason, event.Message))
	_, _ = w.Write(text)
}

// conditions returns the conditions of an object: their types, statuses and reasons.
func (a *apiServer) conditions(name string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.objects[name]["status"].(map[string]any)
	if !ok {
		return "none"
	}
	var all []string
	for _, c := range s["conditions"].([]any) {
		c := c.(map[string]any)
		all = append(all, fmt.Sprintf("%v=%v %v", c["type"], c["status"], c["reason"]))
	}
	return strings.Join(all, ", ")
}

func (a *apiServer) expectConditions(t *testing.T, name, want string) {
	t.Helper()
	eventually(t, "conditions of "+name, want, func() string { return a.conditions(name) })
}

// expectEvent waits for an Event.
func (a *apiServer) expectEvent(t *testing.T, want string) {
	t.Helper()
	eventually(t, "events", "true", func() string {
		a.mu.Lock()
		defer a.mu.Unlock()
		return fmt.Sprint(slices.Contains(a.noted, want))
	})
}

func (a *apiServer) patch(w http.ResponseWriter, r *http.Request) {
	var change struct{ Status map[string]any }
	if err := json.NewDecoder(r.Body).Decode(&change); err != nil {
		panic(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.patches++
	parts := strings.Split(r.URL.Path, "/")
	o := a.objects[parts[len(parts)-2]]
	o["status"] = change.Status
	a.event("MODIFIED", o)
	_ = json.NewEncoder(w).Encode(o)
}

func (a *apiServer) watch(w http.ResponseWriter, r *http.Request, ours bool) {
	var sent int
	_, _ = fmt.Sscan(r.URL.Query().Get("resourceVersion"), &sent)
	for {
		a.mu.Lock()
		var due []string
		if ours {
			due = a.events[sent:]
		}
		sent += len(due)
		changed := a.changed
		a.mu.Unlock()
		for _, text := range due {
			_, _ = fmt.Fprintln(w, text)
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// eventually waits until a text is want, or begins with it if want ends with "...".
func eventually(t *testing.T, what, want string, get func() string) {
	t.Helper()
	got := ""
	for range 500 {
		got = get()
		begin, open := strings.CutSuffix(want, "...")
		if got == want || open && strings.HasPrefix(got, begin) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%s: %q, want %q", what, got, want)
}

func (a *apiServer) expect(t *testing.T, name, want string) {
	t.Helper()
	eventually(t, "status of "+name, want, func() string { return a.problem(name) })
}

// goTags is the spec of an object with Go functions.
func goTags(image, tag string) string {
	return fmt.Sprintf(`{"image": %q, "goExecutor": {"tags": [%q], "id": "set-labels"}}`, image, tag)
}

// TestClusterConflict has two objects for one image. The older one keeps it from the start
// and later, also if its name sorts last.
func TestClusterConflict(t *testing.T) {
	a := startAPIServer(t)
	a.set("old", goTags("f", "v1"))
	a.set("a-new", goTags("f", "v9"))
	s := startServe(t, "--function-configs", "kube:", "--kubeconfig", a.kubeconfig)
	conflict := func(n int) string {
		return fmt.Sprintf("%d spec.image: the image f has a FunctionConfig already: old at "+
			"porch-fn-system/old", n)
	}
	a.expect(t, "a-new", conflict(1))
	a.expect(t, "old", "1")
	a.expectConditions(t, "a-new", "Accepted=False Conflict, Programmed=False NotInUse")
	a.expectConditions(t, "old", "Accepted=True Valid, Programmed=True InUse")
	a.expectEvent(t, "a-new Warning Conflict: "+strings.TrimPrefix(conflict(1), "1 "))
	a.set("a-more", goTags("f", "v9"))
	a.expect(t, "a-more", conflict(1))
	if _, err := s.call(t.Context(), "f:v1"); err != nil {
		t.Error(err)
	}
	if _, err := s.call(t.Context(), "f:v9"); status.Code(err) != codes.NotFound {
		t.Errorf("newer object is used: %v", err)
	}
	if n := strings.Count(s.log.String(), "FunctionConfig/a-new"); n != 1 {
		t.Errorf("conflict is reported %d times:\n%s", n, s.log)
	}
	a.set("old", goTags("g", "v1"))
	a.expect(t, "a-new", "1")
	a.expectEvent(t, "a-new Normal Accepted: generation 1 is in use")
	a.expect(t, "a-more", "1 spec.image: the image f has a FunctionConfig already: a-new at "+
		"porch-fn-system/a-new")
	if _, err := s.call(t.Context(), "f:v9"); err != nil {
		t.Error(err)
	}
}

// TestClusterBadEdit edits an object so that it cannot be used: its last good state stays in use.
func TestClusterBadEdit(t *testing.T) {
	a := startAPIServer(t)
	a.set("f", goTags("f", "v1"))
	s := startServe(t, "--function-configs", "kube:", "--kubeconfig", a.kubeconfig)
	a.expect(t, "f", "1")
	a.set("f", goTags("f", "-v2"))
	a.set("g", goTags("g", "v1"))
	a.expect(t, "f", `2 spec.goExecutor.tags.0: "-v2" is neither a tag...`)
	if got := a.problem("f"); !strings.HasSuffix(got, "; generation 1 stays in use") {
		t.Error(got)
	}
	a.expectConditions(t, "f", "Accepted=False Invalid, Programmed=True EarlierGeneration")
	for _, image := range []string{"f:v1", "g:v1"} {
		if _, err := s.call(t.Context(), image); err != nil {
			t.Errorf("%s: %v", image, err)
		}
	}
	// A runner that starts now does not know generation 1. The two do not fight over the status.
	startServe(t, "--function-configs", "kube:", "--kubeconfig", a.kubeconfig)
	a.set("h", goTags("h", "v1"))
	a.expect(t, "h", "1")
	time.Sleep(500 * time.Millisecond)
	a.mu.Lock()
	if a.patches > 8 {
		t.Errorf("%d patches", a.patches)
	}
	a.mu.Unlock()
	a.set("f", goTags("f", "v3"))
	a.expect(t, "f", "3")
	eventually(t, "f:v3", "OK", func() string { // the other runner may have been the first one
		_, err := s.call(t.Context(), "f:v3")
		return fmt.Sprint(status.Code(err))
	})
	for _, want := range []string{"now 2 FunctionConfigs\n", "all FunctionConfigs can be used again\n"} {
		eventually(t, "log has "+want, "true", func() string {
			return fmt.Sprint(strings.Contains(s.log.String(), want))
		})
	}
}

// TestClusterStatusOfPods has objects whose pods cannot be made. Their status says so before
// anybody asks for one.
func TestClusterStatusOfPods(t *testing.T) {
	a := startAPIServer(t)
	root := `{"securityContext": {"runAsUser": 0, "runAsNonRoot": false}}`
	pod := func(image, overrides string) string {
		return fmt.Sprintf(`{"image": %q, "podExecutor": {"tags": ["v1"], "entrypoint": ["/f"], `+
			`"templateOverrides": %s}}`, image, overrides)
	}
	a.set("weak", pod("weak", root))
	a.set("type", pod("type", `{"container": {"env": [{"name": "A", "valueFrom": {"fieldRef": `+
		`{"fieldPath": "metadata.name", "apiVersion": 1}}}]}}`))
	a.set("user", pod("user", `{"securityContext": {"runAsUser": 99999999999}}`))
	a.set("key", pod("key", `{"container": {"env": [{"name": "A", "valueFrom": `+
		`{"secretKeyRef": {"name": "s"}}}]}}`))
	a.set("good", pod("good", "{}"))
	s := startServe(t, "--function-configs", "kube:", "--kubeconfig", a.kubeconfig, "--pods",
		"--wrapper-image", "i", "--namespace", "default", "--warm-up=false")
	weak := "its template weakens the security of the pod: runAsNonRoot is not true, it runs as " +
		"root (--allow-privileged-pods)"
	a.expect(t, "weak", "1 "+weak)
	a.expect(t, "type", "1 spec.podExecutor.templateOverrides.container.env.0.valueFrom."+
		"fieldRef.apiVersion: expected string, got 1")
	a.expect(t, "user", "1 spec.podExecutor.templateOverrides.securityContext.runAsUser: "+
		"99999999999 is not in the range 0 to 2147483647")
	a.expect(t, "key", "1 spec.podExecutor.templateOverrides.container.env.0.valueFrom."+
		"secretKeyRef.key: key is required")
	a.expect(t, "good", "1")
	a.expectConditions(t, "weak", "Accepted=False PodTemplate, Programmed=True InUse")
	if _, err := s.call(t.Context(), "weak:v1"); status.Code(err) != codes.NotFound ||
		!strings.Contains(err.Error(), weak) {
		t.Errorf("an object that never was good: %v", err)
	}
	a.set("good", pod("good", root))
	a.expect(t, "good", "2 "+weak+"; generation 1 stays in use")
}
