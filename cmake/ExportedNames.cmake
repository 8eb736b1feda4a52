# The names that C headers declare, read from the headers, so that no second list of them exists.

# Sets the variable `output` to the names of the functions that the headers after it declare.
function(freehold_exported_names output)
    set(text "")
    foreach(header IN LISTS ARGN)
        file(READ "${header}" part)
        string(APPEND text "\n${part}")
    endforeach()
    # Semicolons and brackets mean lists to CMake; comments may name functions without declaring them.
    string(REPLACE ";" "\n" text "${text}")
    string(REPLACE "[" " " text "${text}")
    string(REPLACE "]" " " text "${text}")
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" " " text "${text}")
    string(REGEX REPLACE "\n[ \t]*#[^\n]*" "\n" text "\n${text}")
    # What is marked so leaves the library; inline functions and types of functions do not.
    string(REGEX MATCHALL "FREEHOLD_API[^()]*[(]" found "${text}")
    list(TRANSFORM found REPLACE "^.*[ \t\n*](freehold_[a-z0-9_]+)[ \t\n]*[(]$" "\\1")
    list(REMOVE_DUPLICATES found)
    list(SORT found)
    set(${output} "${found}" PARENT_SCOPE)
endfunction()

# Writes a linker version script that keeps every name but the headers' inside the library.
function(freehold_write_version_script script version)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
    freehold_exported_names(names ${ARGN})
    if(NOT names)
        message(FATAL_ERROR "no function is declared in ${ARGN}")
    endif()
    list(JOIN names ";\n        " joined)
    file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT "@version@ {\n    global:\n        @joined@;\n    local:\n        *;\n};\n")
endfunction()
