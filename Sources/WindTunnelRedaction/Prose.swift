/// Tells what people read from what machines do, under names that have both.
enum Prose {
  /// Words with small letters, at most the first one of each a capital, and what stands between
  /// words: `can't be blank`, `Sign in`. Nothing of it is drawn by lot.
  static func isPlain(_ text: String) -> Bool {
    guard text.utf8.count <= 400 else { return false }
    let words = text.split { " \n'’,.!?:;-()…\"/".contains($0) }
    return words.contains { !isNumber($0) }
      && words.allSatisfy { word in
        isNumber(word)
          || word.dropFirst().allSatisfy { $0.isLowercase } && word.first?.isLetter == true
      }
  }

  /// A few digits: a length, a limit.
  private static func isNumber(_ word: Substring) -> Bool {
    word.count <= 3 && word.allSatisfy { "0"..."9" ~= $0 }
  }

  /// Whether a value is what something is kept under: a session's entry `cart`, a key `s` of a
  /// keyboard. A key that opens anything is drawn by lot.
  static func isKeyOfStore(_ name: some StringProtocol, _ value: String) -> Bool {
    guard value.utf8.count <= 24, value.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else { return false }
    return ["sessionkey", "accesskey", "authkey"].contains {
      FieldName.normalised(name).hasSuffix($0)
    }
  }

  /// Whether a value under a secret's name only tells about it: a message about a field, a label, an
  /// icon of a pin.
  static func isAbout(_ name: String, _ value: String, isTold: Bool) -> Bool {
    if isTold { return isPlain(value) }
    let name = FieldName.normalised(name)
    if name == "pin" { return isPlain(value) }
    return ["session", "sign"].contains(name) && value.contains(" ") && isPlain(value)
  }
}
