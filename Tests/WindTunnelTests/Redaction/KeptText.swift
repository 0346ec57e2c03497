@testable import WindTunnel

/// The body of a response as a recording keeps it, and the sentence about a response that is left out.
func keptBody(
  _ body: Body,
  _ type: String = "text/plain",
  by rules: RedactionRules = .standard
) -> (body: Body?, leftOut: [String]) {
  let response = Response(headers: type.isEmpty ? [:] : ["Content-Type": type], body: body)
  var redaction = Redaction(continuing: [], rules: rules)
  let kept = redaction.redact([Interaction(Request("GET", "/"), response)])
  return (kept.first?.response?.body, redaction.leftOut)
}

/// The same of a body that is a text.
func keptText(
  _ text: String,
  _ type: String = "text/plain",
  by rules: RedactionRules = .standard
) -> String? {
  keptBody(Body(text), type, by: rules).body?.text
}

/// The secrets that a lint finds in the body of a response.
func leaks(in body: Body) -> [CassetteLeak] {
  CassetteLint(Cassette([.init(Request("GET", "/"), .text(body))])).leaks
}
