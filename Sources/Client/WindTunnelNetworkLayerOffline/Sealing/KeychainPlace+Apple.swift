#if canImport(Darwin)
  public import Foundation
  internal import Security
  public import WindTunnelNetworkLayer

  /// A key store in the Keychain, with items that never leave this device.
  ///
  /// They are readable after the device's first unlock, and backups do not transfer them to another
  /// device. macOS also uses the data protection keychain (`kSecUseDataProtectionKeychain`),
  /// because the file-based keychain supports neither. A program there must be signed with an
  /// application identifier or a keychain access group; otherwise it is refused with status -34018.
  public struct KeychainPlace: KeyPlace {
    /// The maximum number of attempts on an item that others add and remove meanwhile.
    private static let mostTries = 100

    private let service: String

    /// Creates a key store with a service name, such as the app's bundle identifier.
    public init(service: String) { self.service = service }

    /// Reads an item; `nil` if it does not exist.
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

    /// Writes an item, and replaces an existing one.
    public func write(_ data: Data, as name: String) throws(SealingError) {
      try KeyName.check(name)
      var status = errSecItemNotFound
      for _ in 0..<Self.mostTries where status == errSecItemNotFound {
        status = update(data, name)
        guard status == errSecItemNotFound else { break }
        // An item that another process adds meanwhile is replaced, too.
        status = insert(data, name)
        if status == errSecDuplicateItem { status = errSecItemNotFound }
      }
      guard status == errSecSuccess else { throw Self.failure(status, name) }
    }

    /// Adds an item if it does not exist, and returns the resulting value.
    public func add(_ data: Data, as name: String) throws(SealingError) -> Data {
      try KeyName.check(name)
      for _ in 0..<Self.mostTries {
        let status = insert(data, name)
        if status == errSecSuccess { return data }
        guard status == errSecDuplicateItem else { throw Self.failure(status, name) }
        // If another process removes the item meanwhile, it is added again.
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

    /// Removes an item, if it exists.
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
