#compdef elwood
# Completion of elwood for zsh. To have it in every shell, add to ~/.zshrc, after compinit:
#   source <(elwood completion zsh)

# @tables

# Offers what fits the kind $1.
_elwood_offer() {
  local value about
  local -a found
  case $1 in
    '='*)
      found=(${(s: :)${1#=}})
      _describe -t values value found ;;
    files) _files ;;
    folders) _files -/ ;;
    sessions | notes | models | agents)
      while IFS=$'\t' read -r value about; do
        found+=("${value//:/\\:}${about:+:$about}")
      done < <("${(Q)words[1]/#\~/$HOME}" completion --values $1 2>/dev/null)
      (( $#found )) && _describe -V -t $1 ${1%s} found ;;
  esac
  return 0
}

_elwood() {
  local -a commands options arguments
  local here kind alone variadic word ended
  integer i place=0

  here=elwood
  _elwood_command $here
  for ((i = 2; i < CURRENT; i++)); do
    word=${words[i]}
    if [[ -n $ended ]]; then
      (( place++ ))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* ]]; then
      _elwood_option "$here $word"
      [[ -z $kind || ( -n $alone && ${words[i+1]} == -* ) ]] && continue
      (( i++ ))
      if (( i == CURRENT )); then
        _elwood_offer $kind
        return
      fi
    elif (( place == 0 )) && (( ${commands[(I)$word:*]} )); then
      here="$here $word"
      _elwood_command $here
    else
      (( place++ ))
    fi
  done

  word=${words[CURRENT]}
  if [[ -z $ended && $word == --*=* ]]; then
    _elwood_option "$here ${word%%=*}"
    compset -P '*='
    _elwood_offer "$kind"
  elif [[ -z $ended && $word == -* ]]; then
    _describe -o -t options option options
  else
    if [[ -z $ended ]] && (( place == 0 && $#commands )); then
      _describe -t commands command commands
    fi
    (( place++ ))
    if [[ -n $variadic ]] && (( place > $#arguments )); then place=$#arguments; fi
    if (( place <= $#arguments )); then _elwood_offer ${arguments[place]}; fi
  fi
  return 0
}

if [[ $funcstack[1] == _elwood ]]; then
  _elwood "$@"
else
  compdef _elwood elwood
fi
