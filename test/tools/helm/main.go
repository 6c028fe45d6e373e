// Renders a Helm chart with the template engine and functions that Helm uses, and writes each document to its output:
// main <chart> <values as JSON, which win over values.yaml>. Helm's own include, required, fail and toYaml are written here.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	check(err)
	var value map[string]interface{}
	check(yaml.Unmarshal(text, &value))
	return value
}

func merge(under, over map[string]interface{}) {
	for name, value := range over {
		below, isMap := under[name].(map[string]interface{})
		above, both := value.(map[string]interface{})
		if isMap && both {
			merge(below, above)
		} else {
			under[name] = value
		}
	}
}

func main() {
	chart := read(filepath.Join(os.Args[1], "Chart.yaml"))
	values := read(filepath.Join(os.Args[1], "values.yaml"))
	var given map[string]interface{}
	check(json.Unmarshal([]byte(os.Args[2]), &given))
	merge(values, given)
	data := map[string]interface{}{
		"Chart":   map[string]interface{}{"Name": chart["name"], "AppVersion": chart["appVersion"]},
		"Values":  values,
		"Release": map[string]interface{}{"Name": "site", "Namespace": "default"},
	}
	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all.Funcs(functions)
	files, err := filepath.Glob(filepath.Join(os.Args[1], "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = all.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	for _, file := range files {
		if filepath.Ext(file) == ".yaml" {
			fmt.Println("---")
			check(all.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
			fmt.Println()
		}
	}
}
