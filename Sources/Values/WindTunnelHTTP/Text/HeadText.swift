// Conversion of the octets in heads to text and back.
//
// Octets from 0x80 are opaque in a field value and a reason phrase (RFC 9110 §5.5, RFC 9112 §4),
// and some clients send such octets in request targets. Valid UTF-8 is decoded as text. Each other
// octet is stray and becomes one private-use scalar: U+EF80 for 0x80 to U+EFFF for 0xFF. UTF-8 of
// these scalars is decoded octet by octet, too. So the octets are written as they were read.

extension String {
  /// Creates a string from the octets of a part of a head.
  package init(octets bytes: UnsafeBufferPointer<UInt8>) {
    if !bytes.has(UInt8.octetLead), bytes.isUTF8 {
      self = String(decoding: bytes, as: UTF8.self)
      return
    }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 3)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      let length = byte < 0x80 ? 1 : bytes.sequenceLength(at: place)
      if let length, bytes.octet(at: place) == nil {
        text.append(contentsOf: bytes[place..<(place + length)])
        place += length
      } else {
        text += [UInt8.octetLead, 0xBE | byte >> 6 & 1, 0x80 | byte & 0x3F]
        place += 1
      }
    }
    self = String(decoding: text, as: UTF8.self)
  }

  /// Returns a copy in which each stray octet is replaced by the result of `spell`.
  package func spellingOctets(_ spell: (UInt8) -> String) -> String {
    guard utf8.contains(UInt8.octetLead) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if let octet = scalar.octet {
        text += spell(octet)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text as a part of a head: its own scalars from U+EF80 to U+EFFF become three octets each.
  package var asHead: String {
    var text = self
    return text.withUTF8 { String(octets: $0) }
  }

  /// A copy for a sentence, in which a stray octet is written as `\xE9`.
  package var showingOctets: String {
    spellingOctets { "\\x\(String($0, radix: 16, uppercase: true))" }
  }

  /// A copy in which stray octets are decoded as Latin-1, as common clients do.
  package var readingLatin1: String { spellingOctets { String(Unicode.Scalar($0)) } }
}

extension [UInt8] {
  /// Replaces the scalars of stray octets with the octets.
  mutating func restoreOctets(from start: Int) {
    guard self[start...].contains(UInt8.octetLead) else { return }
    var (read, written) = (start, start)
    while read < count {
      let octet = withUnsafeBufferPointer { $0.octet(at: read) }
      self[written] = octet ?? self[read]
      read += octet == nil ? 1 : 3
      written += 1
    }
    removeLast(count - written)
  }
}

extension UInt8 {
  /// The first UTF-8 byte of a stray octet's scalar.
  static let octetLead: UInt8 = 0xEE
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the stray octet whose scalar begins at this position; `nil` if there is none.
  fileprivate func octet(at place: Int) -> UInt8? {
    guard self[place] == UInt8.octetLead, place + 2 < count, self[place + 1] & 0xFE == 0xBE,
      self[place + 2] & 0xC0 == 0x80
    else { return nil }
    return self[place + 2] | (self[place + 1] & 1) << 6
  }
}

extension Unicode.Scalar {
  /// The stray octet that the scalar represents; `nil` for any other scalar.
  var octet: UInt8? { 0xEF80...0xEFFF ~= value ? UInt8(value & 0xFF) : nil }
}
