package rule_test

var cardTales []tale
var endpointTales []tale
var cancelTales []tale
var terminalTales []tale
var resumeTales []tale
var stateTales []tale
var viewTales []tale
var modeTales []tale
var durableTales []tale
var pushTales []tale
var wireTales []tale
