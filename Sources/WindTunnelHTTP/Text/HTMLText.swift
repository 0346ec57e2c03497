extension String {
  /// The text with what HTML would take for markup escaped, and what nobody sees spelled.
  package var escapedForHTML: String {
    var text = ""
    text.reserveCapacity(utf8.count)
    for character in visibleInLine {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.append(character)
      }
    }
    return text
  }
}
