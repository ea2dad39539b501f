package report

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/functions/handler"
	"github.com/fctl-dev/fctl/internal/diag"
)

// Kind is a value of --report: the form in which validation results are printed for other programs.
type Kind string

// The kinds of reports.
const (
	// Text prints a line for each finding, and one of totals.
	Text Kind = "text"
	// GitHub prints annotations of a GitHub workflow.
	GitHub Kind = "github"
	// SARIF is the format that code scanning reads, version 2.1.0.
	SARIF Kind = "sarif"
	// JUnit is the XML that CI systems read as test results.
	JUnit Kind = "junit"
	// GitLab is the JSON of GitLab's Code Quality report.
	GitLab Kind = "gitlab"
	// JSON is a flat list of findings.
	JSON Kind = "json"
	// Combined is one api.ValidationResult for everything, which --combine-validations prints.
	Combined Kind = "combined"
	// ForCI is the report of the CI system fctl runs in. Nothing is reported if the system is
	// unknown.
	ForCI Kind = "auto"
)

// Kinds returns the values of --report.
func Kinds() []string {
	return []string{
		string(Text), string(GitHub), string(GitLab), string(SARIF), string(JUnit), string(JSON),
		string(ForCI),
	}
}

// ParseKind parses a value of --report.
func ParseKind(text string) (Kind, error) {
	if !slices.Contains(Kinds(), text) {
		return "", fmt.Errorf("report %q is not one of %s", text, strings.Join(Kinds(), ", "))
	}
	return Kind(text), nil
}

// RenderReport renders the report of the units. It includes problems because of which a function
// could not validate.
func RenderReport(kind Kind, units []Result) ([]byte, error) {
	text, err := render(kind, units)
	// A log may be where the report goes, and Azure Pipelines obeys ##vso[...] anywhere in a line.
	hash := "\\u0023"
	switch kind {
	case GitHub:
		return text, err
	case JUnit:
		hash = "&#35;"
	}
	return bytes.ReplaceAll(text, []byte("##"), []byte("#"+hash)), err
}

func render(kind Kind, units []Result) ([]byte, error) {
	switch kind {
	case SARIF:
		return sarif(units)
	case JUnit:
		return junit(units)
	case GitLab:
		return gitlab(units)
	case JSON:
		return jsonReport(units)
	case Combined:
		return combined(units)
	}
	return github(units), nil
}

// combined combines the validation results of all units into one. The details include failures and
// filters that did not pass. A failure means that the result did not pass. If filters left nothing
// to validate, the result did not pass, either.
func combined(units []Result) ([]byte, error) {
	var results api.ValidationResultList
	var filters []string
	for _, unit := range units {
		for _, f := range unit.filterFindings() {
			filters = append(filters, f.Position.String()+": "+f.text())
		}
		results = append(results, unit.results()...)
		for _, f := range diag.In(unit.File, unit.Response.Failures) {
			results = append(results, api.ValidationResult{Details: []string{f.Error()}})
		}
	}
	all := handler.CombineResults(results)
	all.Passed = all.Passed && (len(results) > 0 || len(filters) == 0)
	all.Details = append(all.Details, filters...)
	return Marshal(all)
}

// results returns the validation results of a unit.
func (r Result) results() api.ValidationResultList {
	var all api.ValidationResultList
	for _, o := range r.Response.Outputs {
		if list, ok := o.Value.(api.ValidationResultList); ok {
			all = append(all, list...)
		}
	}
	return all
}

func (r Result) findings() []finding {
	return slices.Concat(r.failures(), r.findingsOf(r.results()), r.uncheckedFindings(r.results()))
}

// level returns the severity of a finding, in the words of SARIF and GitHub.
func (f finding) level() string {
	switch strings.ToLower(f.Score) {
	case "low", "none", "info":
		return "note"
	case "medium":
		return "warning"
	}
	return "error"
}

// maxAnnotations is the number of annotations of each level that GitHub shows for a step; it drops
// the rest.
const maxAnnotations = 10

// github prints workflow commands for the findings that GitHub shows. The others are plain lines,
// which stay in the log.
func github(units []Result) []byte {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	message := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	var b strings.Builder
	printed := map[string]int{} // by level
	for _, u := range units {
		for _, f := range u.findings() {
			level := f.level()
			if printed[level]++; printed[level] > maxAnnotations {
				fmt.Fprintf(&b, "%s: %s\n", diag.Printable(f.Position.String()), oneLine(f.text()))
				continue
			}
			command := strings.Replace(level, "note", "notice", 1)
			fmt.Fprintf(&b, "::%s file=%s", command, property.Replace(shownFile(f.Position.File)))
			if f.Position.Line > 0 {
				fmt.Fprintf(&b, ",line=%d,col=%d", f.Position.Line, f.Position.Column)
			}
			fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace(f.rule()),
				message.Replace(f.text()))
		}
	}
	return []byte(b.String())
}

// summaryBytes is a little less than GitHub's limit for a step's summary, 1 MiB.
const summaryBytes = 1000 << 10

// Summary returns Markdown with all findings for the summary of the workflow step, or nil if GitHub
// shows an annotation for each of them.
func (p *Printer) Summary() []byte {
	var all []finding
	dropped, byLevel := false, map[string]int{}
	for _, u := range p.results {
		for _, f := range u.findings() {
			all = append(all, f)
			byLevel[f.level()]++
			dropped = dropped || byLevel[f.level()] > maxAnnotations
		}
	}
	if p.Report != GitHub || !dropped {
		return nil
	}
	cell := strings.NewReplacer("|", "\\|", "\r", "", "\n", "<br>", "<", "&lt;", "`", "&#96;")
	var b strings.Builder
	fmt.Fprintf(&b, "### fctl: %d findings\n\n| Position | Level | Rule | Finding |\n"+
		"|---|---|---|---|\n",
		len(all))
	for i, f := range all {
		row := fmt.Sprintf("| %s | %s | %s | %s |\n",
			cell.Replace(diag.Printable(f.Position.String())), f.level(), cell.Replace(f.rule()),
			cell.Replace(f.text()))
		if b.Len()+len(row) > summaryBytes {
			fmt.Fprintf(&b, "\nand %d more\n", len(all)-i)
			break
		}
		b.WriteString(row)
	}
	return []byte(b.String())
}

// rule returns what was violated: the validation, and its rule if it has several.
func (f finding) rule() string {
	switch {
	case f.Function == "":
		return "input"
	case f.Rule != "":
		return f.label() + "/" + f.Rule
	}
	return f.label()
}

// relative returns file with slashes and without a leading "./".
func relative(file string) string { return filepath.ToSlash(strings.TrimPrefix(file, "./")) }

// shownFile returns a relative file with unprintable characters escaped, for logs.
func shownFile(file string) string { return diag.Printable(relative(file)) }

// uri returns a relative file as a URI reference.
func uri(file string) string { return (&url.URL{Path: relative(file)}).EscapedPath() }

// Findings returns what the validations found, and the filters that did not pass.
func (r Result) Findings() []api.Finding {
	var all []api.Finding
	for _, f := range append(r.findings(), r.filterFindings()...) {
		all = append(all, api.Finding{
			Position: f.Position, Level: f.level(), Function: f.Function, Name: f.Name,
			Rule: f.Rule, Resource: f.Resource, Path: f.Path, Message: f.Message,
			Unchecked: f.unchecked(), Also: f.Also,
		})
	}
	return all
}

// jsonReport renders a list of findings that can be read without knowing the functions.
func jsonReport(units []Result) ([]byte, error) {
	report := struct {
		Version   int
		Passed    bool
		Unchecked int `json:",omitempty"` // resources
		Ignored   int `json:",omitempty"` // findings
		Findings  []api.Finding
	}{Version: 1, Passed: true, Findings: []api.Finding{}}
	results, filters := 0, 0
	for _, u := range units {
		report.Passed = report.Passed && u.Response.Success && !u.Response.ValidationFailed
		results, filters = results+len(u.results()), filters+len(u.filterFindings())
		report.Findings = append(report.Findings, u.Findings()...)
		for _, f := range u.uncheckedFindings(u.results()) {
			report.Unchecked += f.unchecked()
		}
		for _, result := range u.results() {
			report.Ignored += result.Ignored
		}
	}
	report.Passed = report.Passed && (results > 0 || filters == 0)
	return Marshal(report)
}

// The parts of SARIF 2.1.0 that code scanning reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID string `json:"ruleId"`
		// "open" if the check could not be done, "notApplicable" for a filter
		Kind      string          `json:"kind,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		// Suppressions are for findings that are accepted.
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind string `json:"kind"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysicalLocation  `json:"physicalLocation"`
		LogicalLocations []sarifLogicalLocation `json:"logicalLocations,omitempty"`
	}
	sarifPhysicalLocation struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogicalLocation struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

func sarif(units []Result) ([]byte, error) {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	*driver = sarifDriver{
		Name: "fctl", InformationURI: "https://github.com/fctl-dev/fctl",
		Rules: []sarifRule{},
	}
	for _, u := range units {
		descriptions := u.descriptions()
		for _, f := range slices.Concat(u.findings(), u.Accepted, u.filterFindings()) {
			id := f.rule()
			if !slices.ContainsFunc(driver.Rules, func(r sarifRule) bool { return r.ID == id }) {
				text := descriptions[f.label()]
				if text == "" {
					text = "The input can be read"
				}
				driver.Rules = append(driver.Rules,
					sarifRule{ID: id, ShortDescription: sarifText{text}})
			}
			location := sarifLocationOf(f.Position)
			if f.Resource != "" {
				location.LogicalLocations = []sarifLogicalLocation{{
					FullyQualifiedName: strings.TrimSpace(f.Resource + " " + f.Path),
					Kind:               "resource",
				}}
			}
			var related []sarifLocation
			for _, at := range f.Also {
				related = append(related, sarifLocationOf(at))
			}
			kind, level := "", f.level()
			switch {
			case f.Filter:
				kind, level = "notApplicable", "none"
			case f.Unchecked != nil && level == "note":
				kind, level = "open", "none"
			}
			var suppressions []sarifSuppression
			if f.Exception != "" {
				suppressions = []sarifSuppression{{f.Exception}}
			}
			run.Results = append(run.Results,
				sarifResult{
					RuleID: id, Kind: kind, Level: level, Message: sarifText{f.text()},
					Locations: []sarifLocation{location}, Related: related,
					Suppressions: suppressions,
				})
		}
	}
	return Marshal(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func sarifLocationOf(at api.Position) sarifLocation {
	location := sarifPhysicalLocation{ArtifactLocation: sarifArtifact{uri(at.File)}}
	if at.Line > 0 {
		location.Region = &sarifRegion{at.Line, max(1, at.Column)}
	}
	return sarifLocation{PhysicalLocation: location}
}

// descriptions returns what each validation of the chain checks, by its label.
func (r Result) descriptions() map[string]string {
	all := map[string]string{}
	for i, s := range r.Signatures {
		all[s.FunctionName] = s.Description
		if i < len(r.Invocations) {
			step := r.Invocations[i]
			all[cmp.Or(step.Name, s.FunctionName)] = cmp.Or(step.Message, s.Description)
		}
	}
	return all
}

// The parts of JUnit's XML that CI systems agree on.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr,omitempty"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitProblem `xml:"failure,omitempty"`
		Error   *junitProblem `xml:"error,omitempty"`
		Skipped string        `xml:"skipped,omitempty"` // its schema has no message
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// junit makes a suite of each unit and a test of each validation.
func junit(units []Result) ([]byte, error) {
	var suites junitSuites
	for _, u := range units {
		file := shownFile(u.File)
		suite := junitSuite{Name: file}
		for _, r := range u.results() {
			c := junitCase{Class: file, Name: u.finding(r).rule()}
			list := api.ValidationResultList{r}
			if found := u.findingsOf(list); len(found) > 0 && u.Response.ValidationFailed {
				c.Failure = junitProblemOf(found)
				suite.Failures++
			} else if len(found) > 0 { // only warnings
				c.Skipped = junitProblemOf(found).Text
				suite.Skipped++
			} else if found := u.uncheckedFindings(list); len(found) > 0 &&
				found[0].level() == "error" {
				c.Error = junitProblemOf(found)
				suite.Errors++
			} else if len(found) > 0 {
				c.Skipped = junitProblemOf(found).Text
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
		}
		for _, f := range u.filterFindings() {
			suite.Cases = append(suite.Cases,
				junitCase{Class: file, Name: f.rule(), Skipped: junitProblemOf([]finding{f}).Text})
			suite.Skipped++
		}
		failures := u.failures()
		for len(failures) > 0 {
			rule := failures[0].rule()
			same := slices.DeleteFunc(slices.Clone(failures), func(f finding) bool {
				return f.rule() != rule
			})
			failures = slices.DeleteFunc(failures, func(f finding) bool { return f.rule() == rule })
			suite.Cases = append(suite.Cases,
				junitCase{Class: file, Name: rule, Error: junitProblemOf(same)})
			suite.Errors++
		}
		suite.Tests = len(suite.Cases)
		suites.Suites = append(suites.Suites, suite)
	}
	text, err := xml.MarshalIndent(suites, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

func junitProblemOf(all []finding) *junitProblem {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s: %s\n", diag.Printable(f.Position.String()), f.text())
		for _, at := range f.Also[min(len(f.Also), mostAlso):] {
			fmt.Fprintf(&b, "%s\n", diag.Printable(at.String()))
		}
	}
	message := all[0].text()
	if len(all) > 1 {
		message = fmt.Sprintf("%s (and %d more)", message, len(all)-1)
	}
	return &junitProblem{Message: message, Text: b.String()}
}
