/// Names of fields as people spell them: `X-Api-Key`, `x_api_key` and `xApiKey` are one.
package enum FieldName {
  /// The letters and digits of a name in lower case, of its last 80 bytes.
  package static func normalised(_ name: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    for byte in name.utf8.suffix(80) {
      let lower = byte.asciiLowercased
      if 0x61...0x7A ~= lower || 0x30...0x39 ~= lower || lower >= 0x80 { bytes.append(lower) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
