package demopeer

var resumeLies = []script{}
