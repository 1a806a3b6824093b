package demopeer

var streamLies = []script{}
