package rule_test

var cardTales []tale
var endpointTales []tale
var modeTales []tale
var durableTales []tale
var pushTales []tale
var wireTales []tale
