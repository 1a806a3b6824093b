package demopeer

var settleLies = []script{}
