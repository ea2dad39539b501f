package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// codeQuality is a finding as GitLab's Code Quality report has it, see
// https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
type codeQuality struct {
	Description string          `json:"description"`
	CheckName   string          `json:"check_name"`
	Fingerprint string          `json:"fingerprint"`
	Severity    string          `json:"severity"`
	Location    qualityLocation `json:"location"`
}

type qualityLocation struct {
	Path  string       `json:"path"`
	Lines qualityLines `json:"lines"`
}

type qualityLines struct {
	Begin int `json:"begin"`
}

// gitlab returns a list of the findings. GitLab compares findings of two branches by fingerprints,
// which do not change when lines are added above a finding.
func gitlab(units []Result) ([]byte, error) {
	all := []codeQuality{}
	seen := map[string]int{}
	for _, u := range units {
		for _, f := range u.findings() {
			path := relative(f.Position.File)
			identity := strings.Join([]string{path, f.rule(), f.Resource, f.Path, f.text()}, "\x00")
			seen[identity]++
			sum := sha256.Sum256([]byte(identity + "\x00" + strconv.Itoa(seen[identity])))
			all = append(all, codeQuality{
				Description: f.text(), CheckName: f.rule(), Fingerprint: hex.EncodeToString(sum[:16]),
				Severity: map[string]string{
					"note": "info", "warning": "minor", "error": "major",
				}[f.level()],
				Location: qualityLocation{path, qualityLines{max(1, f.Position.Line)}},
			})
		}
	}
	return Marshal(all)
}
