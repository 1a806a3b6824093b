package fieldcases

var discovery, versions, lifecycle, cancels, resumes, views, pushes, gaps, failures, bindings []fieldCase
