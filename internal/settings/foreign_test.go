package settings

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// TestForeignChange checks for each CI system what it sets for a change of another repository, for
// one in the repository itself, and without a change.
func TestForeignChange(t *testing.T) {
	const (
		fork = `{"pull_request": {"head": {"repo": {"full_name": "mallory/shop", "fork": true}},
			"base": {"repo": {"full_name": "acme/shop"}}}}`
		// a pull request within a repository that is a fork itself
		within = `{"pull_request": {"head": {"repo": {"full_name": "acme/shop", "fork": true}},
			"base": {"repo": {"full_name": "Acme/shop"}}}}`
		deleted = `{"pull_request": {"head": {"repo": null},
			"base": {"repo": {"full_name": "acme/shop"}}}}`
		after = `{"workflow_run": {"head_repository": {"full_name": "mallory/shop"}},
			"repository": {"full_name": "acme/shop"}}`
	)
	for name, c := range map[string]struct {
		env   string // NAME=VALUE, with spaces between
		event string
		want  string // what the reason contains
	}{
		"GitHub": {
			"CI=true GITHUB_EVENT_NAME=pull_request", fork,
			"GitHub builds a change of another repository " +
				"(pull_request.head.repo.full_name is mallory/shop)",
		},
		"GitHub, with secrets":    {"CI=true GITHUB_EVENT_NAME=pull_request_target", fork, "mallory"},
		"GitHub, afterwards":      {"CI=true GITHUB_EVENT_NAME=workflow_run", after, "mallory"},
		"Gitea, sync":             {"CI=true GITHUB_EVENT_NAME=pull_request_sync", fork, "mallory"},
		"GitHub, deleted":         {"CI=true GITHUB_EVENT_NAME=pull_request", deleted, "not name"},
		"GitHub, itself":          {"CI=true GITHUB_EVENT_NAME=pull_request", within, ""},
		"GitHub, a push":          {"CI=true GITHUB_EVENT_NAME=push", fork, ""},
		"GitHub, not in CI":       {"CI= GITHUB_EVENT_NAME=pull_request", fork, ""},
		"GitHub, CI is false":     {"CI=false GITHUB_EVENT_NAME=pull_request", fork, ""},
		"GitHub, damaged event":   {"CI=true GITHUB_EVENT_NAME=pull_request", "{", "cannot be read"},
		"GitHub, an event of one": {"CI=true GITHUB_EVENT_NAME=pull_request", "[]", "cannot be read"},
		"GitHub, a missing event": {"CI=true GITHUB_EVENT_NAME=pull_request", "", "cannot be read"},
		"GitLab": {
			"CI=true CI_MERGE_REQUEST_SOURCE_PROJECT_ID=7 CI_MERGE_REQUEST_PROJECT_ID=5", "",
			"GitLab",
		},
		"GitLab, deleted": {
			"CI=true CI_MERGE_REQUEST_PROJECT_ID=5", "", "does not name",
		},
		"GitLab, itself": {
			"CI=true CI_MERGE_REQUEST_SOURCE_PROJECT_ID=5 CI_MERGE_REQUEST_PROJECT_ID=5", "", "",
		},
		"Azure":         {"TF_BUILD=True SYSTEM_PULLREQUEST_ISFORK=True", "", "Azure"},
		"Azure, itself": {"TF_BUILD=True SYSTEM_PULLREQUEST_ISFORK=False", "", ""},
		"CircleCI":      {"CI=true CIRCLE_PR_REPONAME=shop", "", "CircleCI"},
		"Jenkins":       {"CI=true CHANGE_FORK=mallory", "", "Jenkins"},
		"Buildkite": {
			"CI=true BUILDKITE_PULL_REQUEST_REPO=git://github.com/mallory/shop.git " +
				"BUILDKITE_REPO=git@github.com:acme/shop.git", "", "Buildkite",
		},
		"Buildkite, disguised": {
			"CI=true BUILDKITE_PULL_REQUEST_REPO=https://evil.example/a@github.com:acme/shop " +
				"BUILDKITE_REPO=git@github.com:acme/shop.git", "", "Buildkite",
		},
		"Buildkite, itself": {
			"CI=true BUILDKITE_PULL_REQUEST_REPO=git://github.com/acme/shop.git " +
				"BUILDKITE_REPO=git@github.com:acme/shop.git", "", "",
		},
		"Travis": {
			"CI=true TRAVIS_PULL_REQUEST_SLUG=mallory/shop TRAVIS_REPO_SLUG=acme/shop", "",
			"Travis CI",
		},
		"Travis, a push": {"CI=true TRAVIS_PULL_REQUEST_SLUG= TRAVIS_REPO_SLUG=acme/shop", "", ""},
		"AppVeyor": {
			"CI=True APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME=mallory/shop " +
				"APPVEYOR_REPO_NAME=acme/shop", "", "AppVeyor",
		},
		"Semaphore": {
			"CI=true SEMAPHORE_GIT_PR_SLUG=mallory/shop SEMAPHORE_GIT_REPO_SLUG=acme/shop", "",
			"Semaphore",
		},
		"no system": {"CI=true", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{}
			for pair := range strings.FieldsSeq(c.env) {
				variable, value, _ := strings.Cut(pair, "=")
				env[variable] = value
			}
			env["GITHUB_EVENT_PATH"] = filepath.Join(t.TempDir(), "event.json")
			if c.event != "" {
				write(t, env["GITHUB_EVENT_PATH"], c.event)
			}
			got := foreignChange(func(name string) string { return env[name] })
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// trustFlags are the flags that are about trust, and one that is refused.
func trustFlags(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, name := range []string{"trust", "untrusted", "allow-external"} {
		flags.Bool(name, false, "")
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return flags
}

// TestWhatDecidesAboutTrust checks which of the flags, the environment, the files and the CI system
// decides, and that a project's file does not.
func TestWhatDecidesAboutTrust(t *testing.T) {
	for name, c := range map[string]struct {
		args     []string
		env      string // FCTL_UNTRUSTED
		user, ci string // the user's file; the repository of the change
		want     bool
		origin   string
	}{
		"nothing":                    {origin: "default"},
		"the CI system":              {ci: "shop", want: true, origin: "CircleCI builds"},
		"--trust":                    {args: []string{"--trust"}, ci: "shop", origin: "--trust"},
		"--untrusted":                {args: []string{"--untrusted"}, want: true, origin: "--untrusted"},
		"--untrusted=false":          {args: []string{"--untrusted=false"}, ci: "shop", origin: "--untrusted"},
		"the environment":            {env: "true", want: true, origin: "FCTL_UNTRUSTED"},
		"the environment against CI": {env: "false", ci: "shop", origin: "FCTL_UNTRUSTED"},
		"the user's file":            {user: "untrusted: true\n", want: true, origin: "./user.yaml:1:1"},
		"the user's file against CI": {user: "untrusted: false\n", ci: "shop", origin: "./user.yaml:1:1"},
		"--trust against the file": {
			args: []string{"--trust"}, user: "untrusted: true\n", origin: "--trust",
		},
	} {
		t.Run(name, func(t *testing.T) {
			clearEnv(t)
			t.Setenv("FCTL_UNTRUSTED", c.env)
			if c.ci != "" {
				t.Setenv("CI", "true")
				t.Setenv("CIRCLE_PR_REPONAME", c.ci)
			}
			root := t.TempDir()
			write(t, filepath.Join(root, ProjectFile), "untrusted: "+map[bool]string{
				true: "false\n", false: "true\n",
			}[c.want])
			where := Locations{Dir: root, UserFile: write(t, filepath.Join(root, "user.yaml"), c.user)}
			s, err := load(trustFlags(t, c.args...), nil, where)
			if err != nil {
				t.Fatal(err)
			}
			if s.Untrusted != c.want {
				t.Errorf("untrusted: %t", s.Untrusted)
			}
			for _, row := range s.Rows {
				if row.Name == "untrusted" && (row.Value != c.want ||
					!strings.HasPrefix(row.Origin, c.origin)) {
					t.Errorf("%v, from %s", row.Value, row.Origin)
				}
			}
		})
	}
}

// TestAnUntrustedProject checks what counts of the settings if the repository is not trusted, and
// what is said about the rest.
func TestAnUntrustedProject(t *testing.T) {
	clearEnv(t)
	root := t.TempDir()
	write(t, filepath.Join(root, ProjectFile), "policy: p.yaml\nstrict: false\nreport: sarif\n"+
		"space: theirs\nuntrusted: false\n")
	user := write(t, filepath.Join(root, "user.yaml"), "strict: true\nallow-exec: any\n"+
		"smith-plugins: a=image:b\n")
	s, err := load(trustFlags(t, "--untrusted"), nil, Locations{Dir: root, UserFile: user})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Policies) > 0 || !s.Strict || s.Report != "sarif" || s.Space != "default" ||
		s.AllowExec != "false" || s.AllowExternal || s.SmithPlugins != "" {
		t.Errorf("got %+v", s)
	}
	var notes []string
	for _, n := range s.Notes {
		notes = append(notes, n.Message)
	}
	if d := cmp.Diff([]string{
		"your own settings smith-plugins, allow-exec have no effect: the repository is not trusted",
		"untrusted is ignored here; only a flag, FCTL_UNTRUSTED or your own settings file can set it",
		"policy, strict, space are ignored: the repository is not trusted",
	}, notes); d != "" {
		t.Errorf("notes (-want +got)\n%s", d)
	}
	for _, args := range [][]string{
		{"--untrusted", "--trust"}, {"--untrusted", "--allow-external"},
	} {
		if _, err := load(trustFlags(t, args...), nil, Locations{Dir: root}); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
