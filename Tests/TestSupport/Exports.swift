// What nearly every test needs beside this module.

@_exported public import Foundation
@_exported public import Testing

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
