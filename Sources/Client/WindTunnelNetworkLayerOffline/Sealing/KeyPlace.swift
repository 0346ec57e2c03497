public import Foundation
public import WindTunnelNetworkLayer

/// A store for an app's keys and tokens: the Keychain on Apple platforms, private files elsewhere.
///
/// Names have up to 64 letters, digits, hyphens, underscores and dots, and do not begin with a dot.
public protocol KeyPlace: Sendable {
  /// Reads the value of a name; `nil` if there is none.
  func read(_ name: String) throws(SealingError) -> Data?
  /// Stores bytes under a name, and replaces an earlier value.
  func write(_ data: Data, as name: String) throws(SealingError)
  /// Stores bytes under a name if there is no value yet.
  ///
  /// - Returns: The stored value, which may be from another writer.
  func add(_ data: Data, as name: String) throws(SealingError) -> Data
  /// Removes the value of a name, if there is one.
  func remove(_ name: String) throws(SealingError)
}

extension KeyPlace {
  /// Returns the key of a name, and creates a random key if there is none.
  ///
  /// - Throws: `SealingError.key(_:)` if the stored value has another length.
  public func key(named name: String, bytes: Int = 32) throws(SealingError) -> Data {
    let key: Data
    if let kept = try read(name) { key = kept } else { key = try add(.random(bytes), as: name) }
    guard key.count == bytes else {
      throw .key(
        "The key \"\(name)\" has \(key.count) bytes instead of \(bytes); remove it to create a new "
          + "key."
      )
    }
    return key
  }
}

/// The rules for names of keys.
enum KeyName {
  static let lengthMax = 64
  private static let characters = ByteSet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
  )

  static func check(_ name: String) throws(SealingError) {
    let isName =
      !name.isEmpty && name.utf8.count <= lengthMax && !name.hasPrefix(".")
      && characters.containsAll(of: name)
    guard isName else {
      throw .place(
        "\"\(name)\" is not a name of a key: use up to \(lengthMax) letters, digits, hyphens, "
          + "underscores and dots, without a dot at the start."
      )
    }
  }
}
