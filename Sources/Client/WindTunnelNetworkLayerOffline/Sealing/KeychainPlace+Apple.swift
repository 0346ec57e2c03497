#if canImport(Darwin)
  public import Foundation
  internal import Security
  public import WindTunnelNetworkLayer

  /// A place of keys in the Keychain: items of this device that can be read from its first
  /// unlocking on, and that no backup takes to another.
  ///
  /// On macOS, too, it is the data protection keychain (`kSecUseDataProtectionKeychain`), since the
  /// one of files knows neither. There a program has to be signed with an application identifier or
  /// a keychain access group; one that is not is refused with status -34018.
  public struct KeychainPlace: KeyPlace {
    /// The most times that an item is asked for which others add and remove meanwhile.
    private static let mostTries = 100

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
      var status = errSecItemNotFound
      for _ in 0..<Self.mostTries where status == errSecItemNotFound {
        status = update(data, name)
        guard status == errSecItemNotFound else { break }
        // Another one that is added meanwhile is to be replaced, too.
        status = insert(data, name)
        if status == errSecDuplicateItem { status = errSecItemNotFound }
      }
      guard status == errSecSuccess else { throw Self.failure(status, name) }
    }

    /// Adds an item where there is none, and returns what is there then.
    public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
      try KeyName.check(name)
      for _ in 0..<Self.mostTries {
        let status = insert(data, name)
        if status == errSecSuccess { return data }
        guard status == errSecDuplicateItem else { throw Self.failure(status, name) }
        // One that is removed meanwhile is not kept, and is added anew.
        if let other = try read(name) { return other }
      }
      throw Self.failure(errSecDuplicateItem, name)
    }

    private func update(_ data: Data, _ name: String) -> OSStatus {
      let change: [String: Any] = [kSecValueData as String: data]
      return SecItemUpdate(
        NSDictionary(dictionary: item(name)) as CFDictionary,
        NSDictionary(dictionary: change) as CFDictionary
      )
    }

    private func insert(_ data: Data, _ name: String) -> OSStatus {
      var new = item(name)
      new[kSecValueData as String] = data
      new[kSecAttrAccessible as String] =
        kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
      return SecItemAdd(NSDictionary(dictionary: new) as CFDictionary, nil)
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
        kSecUseDataProtectionKeychain as String: true,
      ]
    }

    private static func failure(_ status: OSStatus, _ name: String) -> SealingError {
      .place("The Keychain refuses \"\(name)\" with status \(status) (SecBase.h).")
    }
  }
#endif
