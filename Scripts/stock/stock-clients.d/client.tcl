# Makes one call with Tcl's http package at its defaults: client.tcl URL
package require http
set token [http::geturl [lindex $argv 0]]
if {[http::status $token] ne "ok" || [http::ncode $token] != 200} {
    puts stderr "[http::status $token] [http::code $token]"
    exit 1
}
puts -nonewline [http::data $token]
