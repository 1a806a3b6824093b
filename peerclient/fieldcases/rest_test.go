package fieldcases

var discovery, versions, gaps, failures, bindings []fieldCase
