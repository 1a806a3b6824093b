package demopeer

var pushLies = []script{}
