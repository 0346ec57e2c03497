internal import WindTunnel

extension Bytes {
  /// Tells whether these may stand between a chunk's size and its line's end: any number of
  /// extensions, and nothing else (RFC 9112 §7.1.1).
  ///
  /// ```
  /// chunk-ext     = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
  /// chunk-ext-val = token / quoted-string
  /// ```
  var isChunkExtensions: Bool {
    var place = 0
    while place < count {
      skipBlanks(&place)
      guard skip(0x3B, &place) else { return false }
      skipBlanks(&place)
      guard skipToken(&place) else { return false }
      // White space that no value follows belongs in front of the next extension; behind the last one
      // there is none.
      var behind = place
      skipBlanks(&behind)
      guard skip(0x3D, &behind) else { continue }
      skipBlanks(&behind)
      guard skipToken(&behind) || skipQuotedString(&behind) else { return false }
      place = behind
    }
    return true
  }

  private func skipBlanks(_ place: inout Int) {
    while place < count, self[place].isBlank { place += 1 }
  }

  private func skip(_ byte: UInt8, _ place: inout Int) -> Bool {
    guard place < count, self[place] == byte else { return false }
    place += 1
    return true
  }

  private func skipToken(_ place: inout Int) -> Bool {
    let start = place
    while place < count, self[place].isToken { place += 1 }
    return place > start
  }

  /// RFC 9110 §5.6.4: within the quotes a backslash takes the next character as it is.
  private func skipQuotedString(_ place: inout Int) -> Bool {
    var end = place
    guard skip(0x22, &end) else { return false }
    while end < count, self[end] != 0x22 {
      if self[end] == 0x5C { end += 1 }
      guard end < count, self[end].isFieldContent else { return false }
      end += 1
    }
    guard skip(0x22, &end) else { return false }
    place = end
    return true
  }
}
