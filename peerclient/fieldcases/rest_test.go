package fieldcases

var discovery, versions, framing, lifecycle, cancels, resumes, views, pushes, gaps, failures, bindings []fieldCase
