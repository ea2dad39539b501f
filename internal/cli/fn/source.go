package fn

import (
	"github.com/spf13/cobra"

	"github.com/fctl-dev/fctl/internal/cli/command"
	"github.com/fctl-dev/fctl/internal/diag"
	"github.com/fctl-dev/fctl/internal/krm"
)

// sourceFlags are the flags of fn source.
type sourceFlags struct {
	app         *command.App
	output      string
	config      string
	forApply    bool
	meta, text  bool
	listVersion string
}

func newSource(a *command.App) *cobra.Command {
	o := &sourceFlags{app: a}
	cmd := &cobra.Command{
		Use:   "source [flags] [DIR]",
		Short: "Print the resources of a directory as a ResourceList",
		Long: `Print the resources in the files of DIR, and of the directories below it, as one
ResourceList. Annotations say which file and which position each comes from, so
that 'fctl fn sink' writes them back, and another one holds the text, for the
comments and the layout that programs in between lose. DIR is the working
directory if it is left out.

Files are *.yaml, *.yml, Kptfile, and *.json with a resource. A .krmignore or
.fctlignore excludes files.`,
		Example: `  fctl fn source apps
  fctl fn source apps | my-function | fctl fn sink apps
  fctl fn source apps --for-apply -o unwrap | kubectl apply -f -`,
	}
	flags := cmd.Flags()
	flags.StringVarP(&o.output, "output", "o", "stdout",
		"print a `FORM`: stdout (a ResourceList), unwrap (documents, without local configuration)")
	flags.StringVar(&o.config, "fn-config", "", "read the functionConfig from `FILE`, which "+
		"has one resource")
	flags.BoolVar(&o.forApply, "for-apply", false,
		"leave out resources that are local configuration, which no cluster gets")
	flags.BoolVar(&o.text, "keep-text", true, "add an annotation with the text of each resource, "+
		"so that 'fctl fn sink' gives it all its bytes; programs other than fctl may leave it in files")
	addMetaFlag(flags, &o.meta)
	addListVersion(flags, &o.listVersion)
	cmd.RunE = o.run
	cmd.ValidArgsFunction = command.CompleteFiles(1)
	return cmd
}

func (o *sourceFlags) run(cmd *cobra.Command, words []string) error {
	ctx, a := cmd.Context(), o.app
	dir, err := pathWord(cmd, words, ".")
	if err != nil {
		return err
	}
	if o.output != "stdout" && o.output != "unwrap" {
		return diag.UsageHint("stdout or unwrap", "-o: %q is not a form", o.output)
	}
	version, err := listVersion(o.listVersion)
	if err != nil {
		return err
	}
	r, err := newRunner(a, cmd)
	if err != nil {
		return err
	}
	p, err := r.readPackage(ctx, dir, krm.ReadOptions{Kptfile: o.meta, All: true})
	if err != nil {
		return err
	}
	config, err := r.configFile(ctx, o.config)
	if err != nil {
		return err
	}
	items := p.Items()
	if o.forApply || o.output == "unwrap" {
		items = krm.WithoutLocal(items)
	}
	if o.output == "unwrap" {
		return a.Write(krm.Unwrap(items))
	}
	list := &krm.ResourceList{Version: version, Items: items}
	if config != nil {
		list.FunctionConfig = config.Doc
	}
	text, err := list.Source(o.text)
	if err != nil {
		return err
	}
	return a.Write(text)
}
