/// Times and numbers as people read them.
enum Words {
  /// Returns a time such as `1.25 s` or `20 ms`.
  static func time(_ time: Duration) -> String {
    let milliseconds = Double(time.wholeMicroseconds) / 1000
    if milliseconds < 1000 { return "\(short(milliseconds)) ms" }
    return "\(short(milliseconds / 1000)) s"
  }

  /// Returns a number with a noun: `1 find`, `2 finds`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  /// Returns a number with commas: `12,345`.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
      if place > 0, place % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  private static func short(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}

extension String {
  /// The text as a literal of Swift.
  var asLiteral: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\", "\"": text += "\\\(scalar)"
      case _ where scalar.value < 0x20: text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return "\"\(text)\""
  }
}
