package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/internal/files"
)

// sign is how a CI system says that it builds a change that comes from another repository.
type sign struct {
	system  string
	running string // the variable that is set where the system runs
	// from is the variable, or the field of the event, that names the repository that the change
	// comes from. It is empty if no change is proposed.
	from string
	// into is the one that names the repository that the change is proposed to. Without it, from is
	// own for a change in the repository itself.
	into, own string
	proposed  bool // into is set for proposed changes only
	// event begins the values of GITHUB_EVENT_NAME that the sign is about, whose from and into are
	// fields of the event. It is empty if they are variables.
	event string
}

// signs returns the table. Of a system that is not in it, the user has to say what is untrusted.
func signs() []sign {
	return []sign{
		{
			system: "GitHub", running: "CI",
			event: "pull_request", // also pull_request_target and, of Gitea, pull_request_sync
			from:  "pull_request.head.repo.full_name", into: "pull_request.base.repo.full_name",
		},
		{
			system: "GitHub", running: "CI", event: "workflow_run",
			from: "workflow_run.head_repository.full_name", into: "repository.full_name",
		},
		{
			system: "GitLab", running: "CI", proposed: true,
			from: "CI_MERGE_REQUEST_SOURCE_PROJECT_ID", into: "CI_MERGE_REQUEST_PROJECT_ID",
		},
		{
			system: "Azure Pipelines", running: "TF_BUILD",
			from: "SYSTEM_PULLREQUEST_ISFORK", own: "False",
		},
		{system: "CircleCI", running: "CI", from: "CIRCLE_PR_REPONAME"},
		{system: "Jenkins", running: "CI", from: "CHANGE_FORK"},
		{
			system: "Buildkite", running: "CI",
			from: "BUILDKITE_PULL_REQUEST_REPO", into: "BUILDKITE_REPO",
		},
		{
			system: "Travis CI", running: "CI",
			from: "TRAVIS_PULL_REQUEST_SLUG", into: "TRAVIS_REPO_SLUG",
		},
		{
			system: "AppVeyor", running: "CI",
			from: "APPVEYOR_PULL_REQUEST_HEAD_REPO_NAME", into: "APPVEYOR_REPO_NAME",
		},
		{
			system: "Semaphore", running: "CI",
			from: "SEMAPHORE_GIT_PR_SLUG", into: "SEMAPHORE_GIT_REPO_SLUG",
		},
	}
}

// foreignChange returns how the CI system says that it builds a change of another repository; "" if
// none does.
func foreignChange(getenv func(string) string) string {
	for _, s := range signs() {
		if is := getenv(s.running); is == "" || strings.EqualFold(is, "false") {
			continue
		}
		if why := s.read(getenv); why != "" {
			return why
		}
	}
	return ""
}

// read returns what the sign says, "" if nothing, or if the change is in the repository itself.
func (s sign) read(getenv func(string) string) string {
	value := getenv
	if s.event != "" {
		if !strings.HasPrefix(getenv("GITHUB_EVENT_NAME"), s.event) {
			return ""
		}
		event, err := readEvent(getenv("GITHUB_EVENT_PATH"))
		if err != nil {
			return fmt.Sprintf("%s builds a proposed change, and its event cannot be read (%v)",
				s.system, files.WithoutPath(err))
		}
		value = event.field
	}
	if value(s.from) == "" && (s.event != "" || s.proposed && value(s.into) != "") { // it was deleted
		return fmt.Sprintf("%s builds a proposed change of a repository that it does not name (%s)",
			s.system, s.from)
	}
	from, own := value(s.from), s.own
	if s.into != "" {
		own = value(s.into)
	}
	if from == "" || sameRepository(from, own) {
		return ""
	}
	return fmt.Sprintf("%s builds a change of another repository (%s is %s)", s.system, s.from,
		configkit.Abbreviate(from))
}

// sameRepository compares names or URLs: git@example.com:a/b.git is https://example.com/a/b.
func sameRepository(a, b string) bool { return repositoryName(a) == repositoryName(b) }

func repositoryName(name string) string {
	if _, rest, isURL := strings.Cut(name, "://"); isURL {
		name = rest
	}
	if user, rest, found := strings.Cut(name, "@"); found && !strings.Contains(user, "/") {
		name = rest
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "/"), ".git")
	return strings.ToLower(strings.Replace(name, ":", "/", 1))
}

// event is the event that a workflow of GitHub runs for.
type event map[string]any

func readEvent(path string) (event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := files.ReadBounded(f, 0, maxNamed)
	if err != nil {
		return nil, err
	}
	var e event
	return e, json.Unmarshal(text, &e)
}

// field returns the text at a path of keys, "" if there is none.
func (e event) field(path string) string {
	var at any = map[string]any(e)
	for key := range strings.SplitSeq(path, ".") {
		m, _ := at.(map[string]any)
		at = m[key]
	}
	text, _ := at.(string)
	return text
}
