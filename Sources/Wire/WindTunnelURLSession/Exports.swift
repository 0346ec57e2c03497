// On Linux, requests and sessions have a module of their own. One import is enough.

#if canImport(FoundationNetworking)
  @_exported public import FoundationNetworking
#endif
