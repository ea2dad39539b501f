package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Tags returns the tags of the images of a repository that the engine has, in no order that means
// anything.
func (e Engine) Tags(ctx context.Context, repository string) ([]string, error) {
	out, err := e.ask(ctx, engineDelay, "images", "--format", "{{.Repository}} {{.Tag}}")
	if err != nil {
		return nil, err
	}
	var tags []string
	for line := range strings.Lines(string(out.Stdout)) {
		name, tag, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == repository && IsTag(tag) {
			tags = append(tags, tag)
		}
	}
	return tags, nil
}

// The limits of the answers of registries.
const (
	registryDelay = 30 * time.Second
	maxAnswer     = 16 << 20
	maxPages      = 100
)

// RegistryTags asks the registry of a repository for its tags, as the distribution specification
// describes it, without credentials: registries of public images give a token to everybody. A
// registry on this machine is asked without TLS.
func RegistryTags(ctx context.Context, client *http.Client, repository string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, registryDelay)
	defer cancel()
	host, path, ok := strings.Cut(repository, "/")
	if !ok || !isRegistry(host) {
		return nil, fmt.Errorf("%s does not name a registry", repository)
	}
	scheme := "https"
	if name, _, _ := strings.Cut(host, ":"); name == "localhost" || name == "127.0.0.1" {
		scheme = "http"
	}
	next := (&url.URL{Scheme: scheme, Host: host, Path: "/v2/" + path + "/tags/list"}).String()
	first, token := next, ""
	var tags []string
	for range maxPages {
		body, link, challenge, err := askRegistry(ctx, client, next, token)
		if err != nil {
			return nil, err
		}
		if challenge != "" {
			if token != "" {
				return nil, fmt.Errorf("%s: access is denied", host)
			}
			if token, err = registryToken(ctx, client, challenge, path); err != nil {
				return nil, err
			}
			continue
		}
		var page struct {
			Tags []string `json:"tags"`
		}
		if err := json.Unmarshal(body, &page); err != nil {
			return nil, fmt.Errorf("%s: the list of tags cannot be read: %w", host, err)
		}
		tags = append(tags, page.Tags...)
		if link == "" {
			return tags, nil
		}
		base, err := url.Parse(first)
		if err != nil {
			return nil, err
		}
		following, err := base.Parse(link)
		if err != nil || following.Host != base.Host {
			return nil, fmt.Errorf("%s: the next page of tags is elsewhere", host)
		}
		next = following.String()
	}
	return nil, fmt.Errorf("%s: the list of tags has more than %d pages", host, maxPages)
}

// askRegistry returns the answer to a request, the address of the next page, and the challenge if
// the registry wants a token.
func askRegistry(ctx context.Context, client *http.Client, address, token string,
) (body []byte, next, challenge string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, "", "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, "", "", err
	}
	defer func() { _ = answer.Body.Close() }()
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return nil, "", answer.Header.Get("WWW-Authenticate"), nil
	case answer.StatusCode != http.StatusOK:
		return nil, "", "", fmt.Errorf("%s answers %s", request.URL.Host, answer.Status)
	}
	if body, err = io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1)); err != nil {
		return nil, "", "", err
	}
	if len(body) > maxAnswer {
		return nil, "", "", fmt.Errorf("%s: the answer has more than %d bytes", request.URL.Host,
			maxAnswer)
	}
	link := regexp.MustCompile(`<([^>]*)>;\s*rel="?next"?`).FindStringSubmatch(
		answer.Header.Get("Link"))
	if link != nil {
		next = link[1]
	}
	return body, next, "", nil
}

// registryToken asks for the token that a challenge describes.
func registryToken(ctx context.Context, client *http.Client, challenge, path string,
) (string, error) {
	scheme, rest, _ := strings.Cut(challenge, " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", errors.New("the registry wants credentials, which fctl does not have")
	}
	values := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+)="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		values[m[1]] = m[2]
	}
	realm, err := url.Parse(values["realm"])
	if err != nil || realm.Scheme != "https" && realm.Hostname() != "127.0.0.1" &&
		realm.Hostname() != "localhost" {
		return "", fmt.Errorf("the registry names no safe address for tokens: %q", values["realm"])
	}
	query := realm.Query()
	query.Set("service", values["service"])
	query.Set("scope", "repository:"+path+":pull")
	realm.RawQuery = query.Encode()
	body, _, denied, err := askRegistry(ctx, client, realm.String(), "")
	if err != nil {
		return "", err
	}
	var answer struct {
		Token       string `json:"token"`
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || denied != "" {
		return "", errors.New("the registry gives no token without credentials")
	}
	if answer.Token == "" {
		return answer.AccessToken, nil
	}
	return answer.Token, nil
}
