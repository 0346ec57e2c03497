// What pinning and the place of keys ask of Security.framework.
import Foundation

public final class SecTrust {}
public final class SecCertificate {}
public final class CFError {}

public func SecTrustEvaluateWithError(
  _ trust: SecTrust,
  _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { false }
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> NSArray? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> NSData { NSData() }

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300

nonisolated(unsafe) public let kSecClass: CFString = ""
nonisolated(unsafe) public let kSecClassGenericPassword: CFString = ""
nonisolated(unsafe) public let kSecAttrService: CFString = ""
nonisolated(unsafe) public let kSecAttrAccount: CFString = ""
nonisolated(unsafe) public let kSecAttrAccessible: CFString = ""
nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
nonisolated(unsafe) public let kSecReturnData: CFString = ""
nonisolated(unsafe) public let kSecMatchLimit: CFString = ""
nonisolated(unsafe) public let kSecMatchLimitOne: CFString = ""
nonisolated(unsafe) public let kSecValueData: CFString = ""
nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = ""

public func SecItemAdd(
  _ attributes: CFDictionary,
  _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { errSecItemNotFound }
public func SecItemCopyMatching(
  _ query: CFDictionary,
  _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus { errSecItemNotFound }
public func SecItemUpdate(_ query: CFDictionary, _ change: CFDictionary) -> OSStatus {
  errSecItemNotFound
}
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { errSecItemNotFound }
