// Code that checks a release reads files and their formats.

@_exported public import Foundation
@_exported public import WindTunnelHTTP
