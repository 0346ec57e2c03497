package import WindTunnelCommandLine

// The flags that select which findings fail a drill or a report, and which are allowed.
extension Flag {
  fileprivate static let severities: KeyValuePairs<String, Finding.Severity?> = [
    "errors": .error, "warnings": .warning, "off": nil,
  ]
  /// The lowest severity of findings that fail a drill.
  package static let findings = Flag("--findings", "BAR", choices: severities.map(\.key))
    .help("Lowest severity that fails: errors, warnings or off (default: errors).")
  /// The same flag for the proxy, where findings do not fail by default.
  package static let proxyFindings = Flag("--findings", "BAR")
    .help("Lowest severity that ends with 99: errors, warnings or off (default: off).")
  /// The rules that may be broken.
  package static let allow = Flag(
    "--allow",
    "RULE=REASON",
    choices: FindingRule.all.map { "\($0.id)=" }
  )
  .help("Allow RULE, or RULE(ENDPOINT), to be broken, with REASON. May be repeated.")
}

extension VerdictPolicy {
  /// Creates the policy that the flags select.
  package init(_ arguments: Arguments) throws {
    self.init()
    allowsInconclusive = arguments.has("--allow-inconclusive")
    if let bar = try arguments.choice("--findings", Flag.severities) { failingFindings = bar }
  }
}

extension AllowedRule {
  /// Returns the rules that the flags allow, each with its reason.
  package static func all(in arguments: Arguments) throws -> [AllowedRule] {
    try arguments.all("--allow").map { text in
      // A path may contain an equals sign. It ends at its parenthesis.
      let path = text.prefix { $0 != "=" }.contains("(") ? text.firstRange(of: ")=") : nil
      let sign = path.map { text.index(before: $0.upperBound) } ?? text.firstIndex(of: "=")
      let end = sign ?? text.endIndex
      let reason = String(text[end...].dropFirst())
      guard reason.contains(where: { !$0.isWhitespace }),
        let allowed = AllowedRule(key: String(text[..<end]), because: reason)
      else {
        throw CommandError.value(
          "--allow",
          text,
          shouldBe: "a rule and a reason, such as \"gives-up-at-once=the app asks again\" or "
            + "\"repeats-post(POST /search)=it is a read\""
        )
      }
      guard FindingRule.named(allowed.rule) != nil else {
        throw CommandError.choice("--allow", allowed.rule, among: FindingRule.all.map(\.id))
      }
      return allowed
    }
  }
}
