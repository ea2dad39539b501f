package kubernetes

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/fctl-dev/fctl/api"
	"github.com/fctl-dev/fctl/configkit"
	"github.com/fctl-dev/fctl/configkit/gaby"
	"github.com/fctl-dev/fctl/functions/handler"
)

// portName matches the names that Kubernetes accepts for ports: up to 15 lower-case letters, digits
// and single dashes, with at least one letter. The length and the letter are checked separately.
const portName = `^[a-z0-9]+(?:-[a-z0-9]+)*$`

const (
	parameterPortName   = "port-name"
	parameterPortNumber = "port-number"
	parameterProtocol   = "protocol"

	defaultProtocol = "TCP"
)

func setPortFunction(provider configkit.ResourceProvider) handler.FunctionRegistration {
	number, highest := intParameter(parameterPortNumber, "8080",
		"number of the port, by which it is found", 1), 65535
	number.Max = &highest
	return handler.Editing(handler.FunctionRegistration{
		FunctionSignature: api.FunctionSignature{
			FunctionName: "set-container-port",
			Parameters: []api.FunctionParameter{
				containerNameParameter(provider),
				textParameter(parameterPortName, "http",
					"name of the port: at most 15 letters, digits and dashes", portName),
				number,
				optional(enumParameter(parameterProtocol, "UDP",
					"protocol of the port, by which it is found as well; if not given, "+
						defaultProtocol,
					defaultProtocol, "UDP", "SCTP")),
			},
			Description: "Set the name of a port of containers, adding the port where it is " +
				"missing",
			Examples: []string{
				"set-container-port web http 80", "set-container-port web dns 53 UDP",
			},
		},
		ValueParameter: parameterPortName,
		PerDocument:    true,
		Paths:          inContainers(provider, "ports"),
		CheckArguments: checkPortName,
	}, func(c *handler.Call) (int, error) {
		p := port{
			name: c.Args.String(parameterPortName), number: c.Args.Int(parameterPortNumber),
			protocol: cmp.Or(c.Args.String(parameterProtocol), defaultProtocol),
		}
		return editContainers(c.Docs, provider, c.Args.String(parameterContainerName), p.set)
	})
}

// checkPortName checks what the regular expression does not.
func checkPortName(args []api.FunctionArgument) error {
	name := handler.Arguments(args).String(parameterPortName)
	problem := ""
	switch {
	case len(name) > 15:
		problem = fmt.Sprintf("has %d characters, at most 15 are allowed", len(name))
	case strings.Trim(name, "0123456789-") == "":
		problem = "has no letter"
	default:
		return nil
	}
	return argumentError(parameterPortName, name, "", "port name %s %s",
		configkit.Abbreviate(name), problem)
}

// port is a port of a container as requested.
type port struct {
	name     string
	number   int
	protocol string
}

// set names the port with this number and protocol, adding it if missing. An existing port of that
// name is left alone.
func (p *port) set(c *container) error {
	for index, e := range c.value.Get("ports").All() {
		if p.is(e) {
			_, err := c.doc.Set(p.name, c.at("ports", strconv.Itoa(index), "name")...)
			if err == nil {
				_, err = c.doc.Set(p.protocol, c.at("ports", strconv.Itoa(index), "protocol")...)
			}
			return err
		}
	}
	entry, err := orderedMap("name", p.name, "containerPort", p.number, "protocol", p.protocol)
	if err != nil {
		return err
	}
	return appendTo(c.doc, entry, c.at("ports")...)
}

// is reports whether an entry of a list of ports has the number and the protocol of p.
func (p *port) is(e gaby.Value) bool {
	number, err := strconv.Atoi(e.Get("containerPort").Text())
	if err != nil || number != p.number {
		return false
	}
	return protocolOf(e) == p.protocol
}

// protocolOf returns the protocol of an entry of a list of ports. A null or empty protocol counts
// as missing and becomes the default.
func protocolOf(e gaby.Value) string {
	if protocol := e.Get("protocol"); protocol.Text() != "" && !protocol.Doc().IsNull() {
		return protocol.Text()
	}
	return defaultProtocol
}
