internal import Foundation
internal import WindTunnel

/// The words of a program's command as a report keeps them: without secrets, as far as their names or
/// shapes tell.
struct CommandWords: Sendable, Hashable {
  /// The fact of a report that holds them.
  static let fact = "command"
  /// What stands in place of a secret.
  private static let redacted = "REDACTED-argument"

  /// What may be kept.
  let words: [String]

  /// Takes the secrets out.
  init(_ command: [String]) {
    var isSecret = false
    words = command.map { word in
      defer { isSecret = Self.announcesSecret(word) }
      return isSecret ? Self.redacted : word.withoutSecrets
    }
  }

  /// Reads what a report holds; `nil` where that is no list of words.
  init?(text: String) {
    // What somebody else wrote there is no command.
    guard let json = try? JSON(parsing: text.utf8, source: ""), case .array(let words) = json else {
      return nil
    }
    self.words = words.compactMap(\.stringValue)
  }

  /// A list, as JSON.
  var text: String { "\(JSON.array(words.map { .text($0) }))" }

  /// Whether something was taken out, so that it cannot be run.
  var isIncomplete: Bool { words.contains { $0.contains("REDACTED-") } }

  /// Whether the word behind this one is a secret: `--token`, and what curl and wget take names and
  /// passwords by.
  private static func announcesSecret(_ word: String) -> Bool {
    if ["-u", "-U", "--user", "--proxy-user"].contains(word) { return true }
    return word.hasPrefix("--") && !word.contains("=") && word.namesSecret
  }
}

extension String {
  /// As one word of a POSIX shell (Shell Command Language §2.2.2): as it is where nothing in it means
  /// anything to a shell, else in single quotes.
  var asShellWord: String {
    let isPlain =
      !isEmpty && !hasPrefix("#")
      && utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 128
          && (character.isLetter || character.isNumber || "_./:=@%+,-#".contains(character))
      }
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
