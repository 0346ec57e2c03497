internal import WindTunnel
internal import WindTunnelCommandLine

/// What is taken out of a recording beside what always is, as whoever writes one takes it.
enum RedactionFlags {
  static let names = "--redact"
  static let personalData = "--personal-data"

  static let flags = flags(prefix: "")

  /// The flags; `prefix` says beside which other one they are of use.
  static func flags(prefix: String) -> [Flag] {
    [
      Flag(
        names,
        "NAME",
        sentence(prefix, "One more name of a secret, or a place in JSON such as $.user.code.")
      ),
      Flag(
        personalData,
        nil,
        sentence(prefix, "Take out e-mail addresses, telephone numbers and names, too.")
      ),
    ]
  }

  /// A sentence behind a word and a colon goes on small.
  private static func sentence(_ prefix: String, _ text: String) -> String {
    prefix.isEmpty ? text : "\(prefix): \(text.prefix(1).lowercased())\(text.dropFirst())"
  }
}

extension RedactionRules {
  /// The rules that a command line adds.
  init(_ arguments: Arguments) throws(Refusal) {
    let names = arguments.all(RedactionFlags.names)
    if let wrong = names.first(where: { $0.hasPrefix("$") && !RedactionRules.isPlace($0) }) {
      throw .value(
        RedactionFlags.names,
        wrong,
        shouldBe: "a name, or a place such as $.user.code"
      )
    }
    self.init(names: names, personalData: arguments.has(RedactionFlags.personalData))
  }
}
