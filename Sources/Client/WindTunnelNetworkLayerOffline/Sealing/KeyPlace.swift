public import Foundation
public import WindTunnelNetworkLayer

/// A place where an app keeps its keys and tokens: the Keychain on Apple platforms, files that only
/// their owner reads elsewhere.
///
/// Names have up to 64 letters, digits, hyphens, underscores and dots, and do not begin with a dot.
public protocol KeyPlace: Sendable {
  /// Reads what is kept under a name; `nil` where nothing is.
  func read(_ name: String) throws(SealingError) -> Data?
  /// Keeps bytes under a name, in place of what was there.
  func write(_ data: Data, as name: String) throws(SealingError)
  /// Keeps bytes under a name where nothing is.
  ///
  /// - Returns: What is kept then, which may be another's.
  func add(_ data: Data, as name: String) throws(SealingError) -> Data
  /// Removes what is kept under a name, if anything is.
  func remove(_ name: String) throws(SealingError)
}

extension KeyPlace {
  /// Returns the key of a name, which is drawn at random where there is none yet.
  ///
  /// - Throws: `SealingError.key(_:)` where something of another length is kept.
  public func key(named name: String, bytes: Int = 32) throws(SealingError) -> Data {
    let key: Data
    if let kept = try read(name) { key = kept } else { key = try add(.random(bytes), as: name) }
    guard key.count == bytes else {
      throw .key(
        "The key \"\(name)\" has \(key.count) bytes in place of \(bytes); remove it, and a new one "
          + "is made."
      )
    }
    return key
  }
}

/// The names under which things are kept.
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
        "\"\(name)\" is no name of a key: use up to \(lengthMax) letters, digits, hyphens, "
          + "underscores and dots, with no dot in front."
      )
    }
  }
}
