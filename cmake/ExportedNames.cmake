# The names a C header declares, read from the header, so that no second list of them exists.

# Sets the variable `output` to the names of the functions that `header` declares.
function(freehold_exported_names header output)
    file(READ "${header}" text)
    # Semicolons and brackets mean lists to CMake; comments may name functions without declaring them.
    string(REPLACE ";" "\n" text "${text}")
    string(REPLACE "[" " " text "${text}")
    string(REPLACE "]" " " text "${text}")
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "/[*]([^*]|[*]+[^*/])*[*]+/" " " text "${text}")
    string(REGEX REPLACE "\n[ \t]*#[^\n]*" "\n" text "\n${text}")
    string(REGEX MATCHALL "freehold_[a-z0-9_]+[ \t\n]*[(]" found "${text}")
    list(TRANSFORM found REPLACE "[ \t\n]*[(]" "")
    list(REMOVE_DUPLICATES found)
    list(SORT found)
    set(${output} "${found}" PARENT_SCOPE)
endfunction()

# Writes a linker version script that keeps every name but the header's inside the library.
function(freehold_write_version_script header script version)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
    freehold_exported_names("${header}" names)
    if(NOT names)
        message(FATAL_ERROR "${header} declares no function")
    endif()
    list(JOIN names ";\n        " joined)
    file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT "@version@ {\n    global:\n        @joined@;\n    local:\n        *;\n};\n")
endfunction()
