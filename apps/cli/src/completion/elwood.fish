# Completion of elwood for fish. To have it in every shell:
#   elwood completion fish > ~/.config/fish/completions/elwood.fish

# @tables

# Prints where the cursor stands: the command so far, and how many arguments follow it.
function __elwood_here
    set -l tokens (commandline -opc)
    set -l path elwood
    set -l place 0
    set -l ended
    set -l i 2
    while test $i -le (count $tokens)
        set -l word $tokens[$i]
        if test -n "$ended"
            set place (math $place + 1)
        else if test "$word" = --
            set ended 1
        else if string match -q -- '-*' $word
            switch (__elwood_takes "$path $word")
                case always
                    set i (math $i + 1)
                case maybe
                    string match -q -- '-*' "$tokens[(math $i + 1)]"; or set i (math $i + 1)
            end
        else if test $place -eq 0; and contains -- $word (__elwood_commands $path)
            set path "$path $word"
        else
            set place (math $place + 1)
        end
        set i (math $i + 1)
    end
    echo $path
    echo $place
end

# True at the command $argv[1]; with $argv[2], only at that argument; with a + after it, there and behind.
function __elwood_at
    set -l here (__elwood_here)
    test "$here[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    if string match -q -- '*+' $argv[2]
        test $here[2] -ge (string replace + '' -- $argv[2])
    else
        test $here[2] -eq $argv[2]
    end
end

function __elwood_values
    set -l tokens (commandline -opc)
    $tokens[1] completion --values $argv[1] 2>/dev/null
end

complete -c elwood -f
# @completions
