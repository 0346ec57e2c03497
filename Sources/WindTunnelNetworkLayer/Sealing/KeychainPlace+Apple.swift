#if canImport(Darwin)
  public import Foundation
  internal import Security

  /// A place of keys in the Keychain: items of this device that can be read from its first
  /// unlocking on, and that no backup takes to another.
  public struct KeychainPlace: KeyPlace {
    private let service: String

    /// Makes a place of a service's name, such as the app's bundle identifier.
    public init(service: String) { self.service = service }

    /// Reads an item; `nil` where there is none.
    public func read(_ name: String) throws(SealingError) -> Data? {
      try KeyName.check(name)
      var query = item(name)
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne as String
      var found: CFTypeRef?
      let status = SecItemCopyMatching(NSDictionary(dictionary: query) as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else {
        throw Self.failure(status, name)
      }
      return data
    }

    /// Writes an item in place of the one that was there.
    public func write(_ data: Data, as name: String) throws(SealingError) {
      try KeyName.check(name)
      let change: [String: Any] = [kSecValueData as String: data]
      let status = SecItemUpdate(
        NSDictionary(dictionary: item(name)) as CFDictionary,
        NSDictionary(dictionary: change) as CFDictionary
      )
      if status == errSecItemNotFound { return _ = try add(data, as: name) }
      guard status == errSecSuccess else { throw Self.failure(status, name) }
    }

    /// Adds an item where there is none, and returns what is there then.
    public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
      try KeyName.check(name)
      var new = item(name)
      new[kSecValueData as String] = data
      new[kSecAttrAccessible as String] =
        kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
      let status = SecItemAdd(NSDictionary(dictionary: new) as CFDictionary, nil)
      if status == errSecDuplicateItem { return try read(name) ?? data }
      guard status == errSecSuccess else { throw Self.failure(status, name) }
      return data
    }

    /// Removes an item, if there is one.
    public func remove(_ name: String) throws(SealingError) {
      try KeyName.check(name)
      let status = SecItemDelete(NSDictionary(dictionary: item(name)) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw Self.failure(status, name)
      }
    }

    private func item(_ name: String) -> [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword as String,
        kSecAttrService as String: service,
        kSecAttrAccount as String: name,
      ]
    }

    private static func failure(_ status: OSStatus, _ name: String) -> SealingError {
      .place("The Keychain refuses \"\(name)\" with status \(status) (SecBase.h).")
    }
  }
#endif
