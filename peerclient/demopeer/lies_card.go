package demopeer

var cardLies = []script{}
