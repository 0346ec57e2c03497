package import WindTunnelHTTP

/// A header field of HTTP/2 (RFC 7541 §1.3).
package struct HPACKField: Sendable, Hashable {
  /// The name as it was sent, and the value.
  package var field: HeaderField
  /// Whether no encoder, not even an intermediary's, may add the field to a table (RFC 7541
  /// §7.1.3).
  package var isNeverIndexed: Bool

  package var name: String { field.name }
  package var value: String { field.value }
}

/// The reason why a header block has no field list.
package enum HPACKError: Error, Hashable {
  /// The block is invalid. The tables of the connection can no longer be used (COMPRESSION_ERROR).
  case compression(String)
  /// The list exceeds a limit. The table is up to date, so that the connection can continue.
  case listTooLarge
}

/// An entry of a table: a field with its sizes in octets (RFC 7541 §4.1).
struct HPACKEntry {
  var field: HeaderField
  /// The octets of the name on the wire. A `String` may have more if some octets are not UTF-8.
  var nameBytes: Int
  var valueBytes: Int

  /// The size of the entry, including 32 octets of overhead.
  var size: Int { nameBytes + valueBytes + 32 }

  /// Returns whether the field has the bytes of a value. Equal strings may have different bytes.
  func hasValue(_ value: String) -> Bool {
    field.value.utf8.count == value.utf8.count && field.value == value
      && field.value.utf8.elementsEqual(value.utf8)
  }
}
